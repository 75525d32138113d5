/// Counts what was accepted by the outbox, and what the receivers received. Pure.
///
/// A request may arrive more than once: its worker was killed, frozen or cut off after it had sent it. Each time
/// it must have its idempotency key, by which a receiver can tell; another key, or none, is a fault. A request of
/// a lane must not arrive before the one before it was taken by its receiver.
package struct FleetLedger: Sendable {
  private struct Arrivals: Sendable {
    var key: String?
    var taken = 0
  }

  /// The most violations that are described.
  private static let mostDescribed = 20

  /// The number of requests of the course; larger numbers are those of transactions that were rolled back.
  private let count: Int
  private var accepted: Set<Int> = []
  private var arrivals: [Int: Arrivals] = [:]
  /// The requests that arrived before the one before them in their lane was taken.
  private var early: Set<Int> = []
  /// The number of arrivals with another key than the first, or without one.
  package private(set) var doubledWithoutKey = 0
  /// All other violations, the first ones only.
  package private(set) var violations: [String] = []
  /// The number of requests that a receiver has taken.
  package private(set) var delivered = 0
  /// The number of times that a receiver took a request again, with the same key.
  package private(set) var doubledWithKey = 0

  package init(count: Int) { self.count = count }

  package var outOfOrder: Int { early.count }
  package var acceptedCount: Int { accepted.count }
  /// The requests that were accepted and did not arrive.
  package var missing: [Int] { accepted.filter { arrivals[$0]?.taken ?? 0 == 0 }.sorted() }
  package var lost: Int { missing.count }
  package var isGood: Bool { lost == 0 && doubledWithoutKey == 0 && outOfOrder == 0 && violations.isEmpty }

  /// Notes requests that the outbox has stored, as it said.
  package mutating func accept(_ numbers: some Sequence<Int>) { accepted.formUnion(numbers) }

  /// Notes a request at its receiver.
  /// - Parameters:
  ///   - key: Its idempotency key.
  ///   - isWhole: Whether its body is the one that was enqueued.
  ///   - isTaken: Whether the receiver does what it asks; the response may be lost.
  package mutating func arrive(_ request: FleetRequest, key: String?, isWhole: Bool, isTaken: Bool) {
    let number = request.number
    guard number < count else {
      return note("request \(number) arrived, and its transaction was rolled back")
    }
    if !isWhole { note("request \(number) arrived with another body") }
    if let before = request.predecessor, arrivals[before.number]?.taken ?? 0 == 0 {
      if early.insert(number).inserted { note("request \(number) arrived before \(before.number) was taken") }
    }
    let isFirst = arrivals[number] == nil
    var known = arrivals[number] ?? Arrivals(key: key)
    let isSame = key != nil && known.key == key
    if !isSame {
      doubledWithoutKey += 1
      note(
        "request \(number) arrived with \(key ?? "no key"), \(isFirst ? "at first" : "not \(known.key ?? "")")"
      )
    }
    if isTaken {
      if known.taken == 0 { delivered += 1 } else if isSame { doubledWithKey += 1 }
      known.taken += 1
    }
    arrivals[number] = known
  }

  package mutating func note(_ violation: String) {
    if violations.count < Self.mostDescribed { violations.append(violation) }
  }
}

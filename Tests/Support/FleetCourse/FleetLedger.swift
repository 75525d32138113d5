import ErrandCore

/// One arrival of a request at its receiver.
package struct FleetArrival: Sendable {
  /// Its idempotency key.
  package var key: String?
  /// The number of the process that sent it.
  package var sender = 0
  package var time = Duration.zero
  /// Whether its body is the enqueued one.
  package var isWhole = true
  /// Whether the receiver accepts it.
  package var isTaken = true
  /// False if the response is lost on purpose.
  package var hasResponse = true

  package init(key: String?) { self.key = key }
}

/// Counts the requests that the outbox accepted and that the receivers received. Pure.
///
/// A request may arrive more than once, if its worker was killed, frozen or cut off after it had sent it.
/// Each time it must have its idempotency key, by which a receiver can recognize it; another key, or none, is
/// a fault. A request of a lane must not arrive before the receiver has accepted the previous one.
package struct FleetLedger: Sendable {
  private struct Arrivals: Sendable {
    var key: String?
    var count = 0
    var taken = 0
    /// The last arrival that was accepted.
    var last: FleetArrival?
  }

  /// The maximum number of violations that are described.
  private static let mostDescribed = 20

  /// The number of requests of the course; larger numbers are from transactions that were rolled back.
  private let count: Int
  private var accepted: Set<Int> = []
  private var arrivals: [Int: Arrivals] = [:]
  /// The requests that arrived before the previous one in their lane was accepted.
  private var early: Set<Int> = []
  /// The number of arrivals with another key than the first, or without one.
  package private(set) var doubledWithoutKey = 0
  /// All other violations, the first ones only.
  package private(set) var violations: [String] = []
  /// The number of requests that a receiver has accepted.
  package private(set) var delivered = 0
  /// The number of times that a receiver accepted a request again, with the same key.
  package private(set) var doubledWithKey = 0
  /// The number of such repeats without a reason.
  package private(set) var doubledWithoutReason = 0
  /// The troubles of the workers.
  package var troubles = FleetTroubles()

  package init(count: Int) { self.count = count }

  package var outOfOrder: Int { early.count }
  package var acceptedCount: Int { accepted.count }
  /// The requests that were accepted and did not arrive.
  package var missing: [Int] { accepted.filter { arrivals[$0]?.taken ?? 0 == 0 }.sorted() }
  package var lost: Int { missing.count }
  package var isGood: Bool { lost == 0 && doubledWithoutKey == 0 && outOfOrder == 0 && violations.isEmpty }

  /// Records requests that the outbox has reported as stored.
  package mutating func accept(_ numbers: some Sequence<Int>) { accepted.formUnion(numbers) }

  /// Records a request at its receiver.
  package mutating func arrive(_ request: FleetRequest, _ arrival: FleetArrival) {
    let (number, key) = (request.number, arrival.key)
    guard number < count else {
      return note("request \(number) arrived, and its transaction was rolled back")
    }
    if !arrival.isWhole { note("request \(number) arrived with a different body") }
    if let before = request.predecessor, arrivals[before.number]?.taken ?? 0 == 0 {
      if early.insert(number).inserted {
        note("request \(number) arrived before \(before.number) was accepted")
      }
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
    known.count += 1
    if arrival.isTaken {
      if known.taken == 0 { delivered += 1 } else if isSame { doubledWithKey += 1 }
      if let last = known.last { double(number, last, arrival) }
      known.taken += 1
      known.last = arrival
    }
    arrivals[number] = known
  }

  private mutating func double(_ number: Int, _ first: FleetArrival, _ second: FleetArrival) {
    guard first.hasResponse,
      !troubles.explain([first.sender, second.sender], from: first.time, to: second.time)
    else { return }
    doubledWithoutReason += 1
    note(
      "request \(number) was sent by \(first.sender) at \(first.time.formattedSeconds) and, without a reason, by "
        + "\(second.sender) at \(second.time.formattedSeconds)")
  }

  /// Returns the number of counted attempts that no receiver saw.
  /// - Parameter counted: The number of attempts of each request that the outbox has counted.
  package func unseenAttempts(_ counted: [Int: Int]) -> Int {
    counted.reduce(0) { $0 + max(0, $1.value - (arrivals[$1.key]?.count ?? 0)) }
  }

  package mutating func note(_ violation: String) {
    if violations.count < Self.mostDescribed { violations.append(violation) }
  }
}

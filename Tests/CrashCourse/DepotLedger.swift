import ErrandCore
import Foundation

/// What a server has received: who sent it, with which key, and whether it took it. Pure.
package struct DepotLedger: Sendable {
  private struct Hands: Sendable {
    let sender: Int
    let until: Duration
  }

  /// How often each parcel was taken, by its key.
  package private(set) var taken: [Int: [String: Int]] = [:]
  /// Parcels in the order in which they came for the first time, taken or not.
  private(set) var arrivals: [Int] = []
  package private(set) var violations: [String] = []
  /// The groups of what was taken.
  private(set) var groups: Set<ClosedRange<Int>> = []
  private var seen: Set<Int> = []
  private var digests: [String: SHA256Digest] = [:]
  private var inHands: [String: Hands] = [:]

  /// - Parameters:
  ///   - sender: The number of the process that sent it.
  ///   - hold: How long the server keeps it before it answers.
  ///   - isRunning: Whether that process is there still.
  mutating func arrive(
    _ parcel: Parcel, key: String, body: Data, group: ClosedRange<Int>?, sender: Int, isTaken: Bool,
    at now: Duration, hold: Duration, isRunning: (Int) -> Bool
  ) {
    if seen.insert(parcel.number).inserted { arrivals.append(parcel.number) }
    if !parcel.isWhole(body) { violations.append("parcel \(parcel.number) came with another body") }
    let digest = SHA256Digest(hashing: body)
    if digests.updateValue(digest, forKey: key) ?? digest != digest {
      violations.append("parcel \(parcel.number) came twice, with one key and two bodies")
    }
    if let other = inHands[key], other.until > now, isRunning(other.sender) {
      violations.append("parcel \(parcel.number) came while another try of it was under way")
    }
    inHands[key] = Hands(sender: sender, until: now + hold)
    guard isTaken else { return }
    taken[parcel.number, default: [:]][key, default: 0] += 1
    if let group { groups.insert(group) }
  }

  mutating func note(_ violation: String) { violations.append(violation) }
}

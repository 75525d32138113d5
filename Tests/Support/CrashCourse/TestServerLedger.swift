import ErrandCore
import ErrandCrypto
import Foundation

/// The requests that a server has received: the sending process, the key, and whether it accepted them. Pure.
package struct TestServerLedger: Sendable {
  private struct Custody: Sendable {
    let sender: Int
    let until: Duration
  }

  /// The number of times that each request was accepted, by its key.
  package private(set) var taken: [Int: [String: Int]] = [:]
  /// The requests in the order of their first arrival, accepted or not.
  private(set) var arrivals: [Int] = []
  package private(set) var violations: [String] = []
  /// The groups of the accepted requests.
  private(set) var groups: Set<ClosedRange<Int>> = []
  private var seen: Set<Int> = []
  private var digests: [String: SHA256Digest] = [:]
  private var inHands: [String: Custody] = [:]

  /// Records a request.
  /// - Parameters:
  ///   - sender: The ID of the process that sent it.
  ///   - hold: The time that the server waits before it responds.
  ///   - isRunning: Whether that process is still running.
  mutating func arrive(
    _ request: TestRequest, key: String, body: Data, group: ClosedRange<Int>?, sender: Int, isTaken: Bool,
    at now: Duration, hold: Duration, isRunning: (Int) -> Bool
  ) {
    if seen.insert(request.number).inserted { arrivals.append(request.number) }
    if !request.isWhole(body) { violations.append("request \(request.number) arrived with a different body") }
    let digest = SHA256Digest(hashing: body)
    if digests.updateValue(digest, forKey: key) ?? digest != digest {
      violations.append("request \(request.number) arrived twice, with one key and two bodies")
    }
    if let other = inHands[key], other.until > now, isRunning(other.sender) {
      violations.append("request \(request.number) arrived during another attempt of it")
    }
    inHands[key] = Custody(sender: sender, until: now + hold)
    guard isTaken else { return }
    taken[request.number, default: [:]][key, default: 0] += 1
    if let group { groups.insert(group) }
  }

  mutating func note(_ violation: String) { violations.append(violation) }
}

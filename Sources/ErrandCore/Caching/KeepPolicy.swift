/// How a request is treated whose answer is kept. Whatever the policy, an answer that comes from the network is kept.
// A struct and no enum, so that a policy can be added: HTTP's own caching rules (RFC 9111: max-age, validators, Vary) are
// to be one of them.
public struct KeepPolicy: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case networkOnly
    case first
    case thenRefreshed
    case onFailure
    case youngerThan(Duration)
  }

  let kind: Kind

  /// Asks the network, always; what is kept is for others.
  public static let networkOnly = KeepPolicy(kind: .networkOnly)
  /// What is kept, however old; the network only if there is nothing.
  public static let first = KeepPolicy(kind: .first)
  /// What is kept, at once, and then what the network says, be it an answer or an error.
  public static let thenRefreshed = KeepPolicy(kind: .thenRefreshed)
  /// The network first; what is kept if the server cannot be reached in time or is in trouble: a transport failure, a
  /// time-out, the deadline, or the status 408, 425, 429 or 5xx. Any other error is told: a 404 is an answer, and a pin
  /// that does not match must not go unnoticed.
  public static let onFailure = KeepPolicy(kind: .onFailure)
  /// What is kept if it is younger than this, else the network. What is dated in the future, because the clock has been set
  /// back, is not younger.
  public static func youngerThan(_ age: Duration) -> KeepPolicy { KeepPolicy(kind: .youngerThan(age)) }

  public var description: String {
    switch kind {
    case .networkOnly: "network only"
    case .first: "kept first"
    case .thenRefreshed: "kept, then refreshed"
    case .onFailure: "kept on failure"
    case .youngerThan(let age): "kept if younger than \(age.formattedSeconds)"
    }
  }
}

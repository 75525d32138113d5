import ErrandCore

/// The renewals of a credential that did not help, and the resources that refuse each credential. Pure.
///
/// A resource is a method and a URL without its query, identified by a hash of both. A resource that found a
/// new credential stale gets no further renewal for a while, and its responses go to the caller: this
/// identity may not be allowed to see it. If a resource accepted the credential before, the credential has
/// expired since.
struct RefusalRecord: Sendable {
  /// The most renewals within `window` that do not help.
  static let limit = 5
  static let window = Duration.seconds(30)
  /// How long a resource counts as one that refuses each credential.
  static let memory = Duration.seconds(300)
  /// The most resources that are remembered.
  private static let mostResources = 100

  private struct Useless: Sendable {
    let at: Duration
    let hasFailed: Bool
  }

  private var useless: [Useless] = []
  /// The last generation that a server accepted.
  private var acceptedGeneration: Int?
  /// The last generation whose renewal was counted as one that did not help.
  private var countedGeneration: Int?
  /// The resources that found a new credential stale, and when.
  private var refusing: [Int: Duration] = [:]
  /// The resources that accepted the credential of `acceptedGeneration`.
  private var accepting: Set<Int> = []

  func isAccepted(_ generation: Int) -> Bool { acceptedGeneration == generation }

  /// Returns true if another renewal may begin.
  mutating func allowRenewal(at now: Duration) -> Bool {
    useless.removeAll { now - $0.at >= Self.window }
    return useless.count < Self.limit
  }

  func hasAccepted(_ generation: Int, by resource: Int) -> Bool {
    isAccepted(generation) && accepting.contains(resource)
  }

  func isRefusing(_ resource: Int, at now: Duration) -> Bool {
    refusing[resource].map { now - $0 < Self.memory } ?? false
  }

  mutating func accepted(_ generation: Int, by resource: Int) {
    if generation > acceptedGeneration ?? -1 {
      acceptedGeneration = generation
      accepting = []
    }
    if generation == acceptedGeneration, accepting.count < Self.mostResources { accepting.insert(resource) }
    if !refusing.isEmpty { refusing[resource] = nil }
  }

  mutating func refused(_ generation: Int, by resource: Int, at now: Duration) {
    refusing = refusing.filter { now - $0.value < Self.memory }
    if refusing.count >= Self.mostResources, let oldest = refusing.min(by: { $0.value < $1.value }) {
      refusing[oldest.key] = nil
    }
    refusing[resource] = now
    // Several of the requests that waited for one renewal may be refused, and they count once.
    guard countedGeneration != generation else { return }
    countedGeneration = generation
    useless.append(Useless(at: now, hasFailed: false))
  }

  mutating func failed(at now: Duration) { useless.append(Useless(at: now, hasFailed: true)) }

  /// Returns the error of a request for which no renewal may begin.
  /// - Parameter failure: The error of the last renewal; nil if it brought a credential.
  func error(after failure: RequestError?) -> RequestError {
    let window = Self.window.formattedSeconds
    let failures = useless.count { $0.hasFailed }
    let message =
      if let failure {
        "\(useless.count) refreshes of the credential have not helped within \(window), and the next one has to wait: "
          + failure.message
      } else if failures > 0 {
        "\(useless.count) refreshes of the credential have not helped within \(window): \(failures) failed, and the "
          + "server found the other new credentials stale"
      } else {
        "the server found \(useless.count) new credentials stale within \(window): check the clock, and which "
          + "credential the server expects"
      }
    return RequestError(.excessiveRefresh, message: message, reachedServer: false, underlying: failure)
  }
}

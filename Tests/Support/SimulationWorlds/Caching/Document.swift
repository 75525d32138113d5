import ErrandTesting

/// A resource of a simulated server, and the server's directives about caching it. Pure.
struct Document: Sendable {
  /// How long a response is fresh, and by which field. In seconds.
  enum Lifetime: Sendable, Hashable {
    case maxAge(Int)
    case expires(Int)
    /// The server says nothing, and the cache takes a tenth of the time since `Last-Modified`.
    case heuristic
  }

  let lifetime: Lifetime
  let directives: Set<String>
  /// In seconds; nil if the server does not say so.
  let staleWhileRevalidate: Int?
  let staleIfError: Int?
  let hasTag: Bool
  let hasWeakTag: Bool
  let hasDate: Bool
  /// The request fields that the response depends on, besides `Authorization`.
  let vary: [String]
  /// The time after which the document changes by itself, in seconds.
  let period: Int
  /// The document that a POST to this one changes as well.
  let companion: Int?

  init(_ random: inout SeededRandom, companion: Int?) {
    let seconds = Int.random(in: 0...6, using: &random)
    lifetime =
      switch Int.random(in: 0..<6, using: &random) {
      case 0...3: .maxAge(seconds)
      case 4: .expires(seconds)
      default: .heuristic
      }
    var directives: Set<String> = random.once(in: 4) ? ["private"] : []
    switch Int.random(in: 0..<10, using: &random) {
    case 0: directives.insert("no-store")
    case 1: directives.insert("no-cache")
    case 2, 3: directives.insert("must-revalidate")
    default: break
    }
    self.directives = directives
    staleWhileRevalidate = random.once(in: 3) ? Int.random(in: 1...5, using: &random) : nil
    staleIfError = random.once(in: 3) ? Int.random(in: 1...10, using: &random) : nil
    hasTag = !random.once(in: 3)
    hasWeakTag = random.once(in: 3)
    hasDate = !random.once(in: 4)
    vary =
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: ["Accept-Language"]
      case 2: ["Accept-Language", "Cookie"]
      case 3: ["Cookie"]
      default: []
      }
    period = Int.random(in: 3...20, using: &random)
    self.companion = random.once(in: 2) ? companion : nil
  }

  var isStored: Bool { !directives.contains("no-store") }

  /// True if a response may be renewed while its caller has a stale one.
  var isRenewed: Bool { staleWhileRevalidate != nil }

  /// The members of `Cache-Control`.
  var control: [String] {
    var control = directives.sorted()
    if case .maxAge(let seconds) = lifetime { control.append("max-age=\(seconds)") }
    if let staleWhileRevalidate { control.append("stale-while-revalidate=\(staleWhileRevalidate)") }
    if let staleIfError { control.append("stale-if-error=\(staleIfError)") }
    return control
  }

  /// Returns how long a response is fresh, in seconds.
  /// - Parameter unchanged: The time since `Last-Modified`, in seconds.
  func freshness(unchanged: Double) -> Double {
    switch lifetime {
    case .maxAge(let seconds), .expires(let seconds): Double(seconds)
    // Dates in fields have whole seconds.
    case .heuristic: max(0, unchanged + 1) / 10
    }
  }

  /// Returns true if a cached response may be delivered, which the caller's own request has not confirmed.
  /// - Parameters:
  ///   - age: The time since the server made or confirmed the response, in seconds.
  ///   - freshness: How long it was fresh then, in seconds.
  ///   - failure: How the caller's own request failed; nil if it did not.
  func allows(age: Double, freshness: Double, _ wish: Wish, _ failure: Reading.Failure?) -> Bool {
    guard isStored else { return false }
    let staleness = age - freshness
    let mustAsk = directives.contains("no-cache")
    let isStrict = mustAsk || directives.contains("must-revalidate")
    if let failure, !isStrict {
      if failure == .disconnected, !wish.asksForFreshness {
        return (wish.longestStaleness ?? staleIfError).map { staleness <= Double($0) } ?? true
      }
      if [staleIfError, wish.staleIfError].contains(where: { $0.map { staleness <= Double($0) } ?? false }) {
        return true
      }
    }
    if mustAsk { return false }
    switch wish {
    case .revalidate: return false
    case .maxAge(let limit) where age > Double(limit) || limit == 0: return false
    case .minFresh(let least) where -staleness < Double(least): return false
    default: break
    }
    if staleness < 0 { return true }
    if isStrict { return false }
    if case .maxStale(let limit) = wish, limit.map({ staleness <= Double($0) }) ?? true { return true }
    return staleWhileRevalidate.map { staleness <= Double($0) } ?? false
  }
}

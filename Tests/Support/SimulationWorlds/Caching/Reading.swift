import ErrandCore
import ErrandTesting

/// The request of a document, as the world describes it.
struct Reading: Sendable, Hashable {
  /// A failure for which a cached response may replace the server's.
  enum Failure: Sendable, Hashable {
    /// The server responded with an error.
    case server
    /// The server could not be reached.
    case disconnected
  }

  let document: Int
  let reader: Reader
  /// The value of `Accept-Language`, or nil.
  let language: String?
  let wish: Wish

  static let languages = ["en", "de"]
}

/// The person that a request is sent for.
enum Reader: String, CaseIterable, Sendable {
  /// The request has no credential.
  case anyone
  case ada
  case bob
  /// The credential is a cookie.
  case eve

  static let cookie = "session=eve"

  var field: (name: String, value: String)? {
    switch self {
    case .anyone: nil
    case .ada, .bob: ("Authorization", "Bearer \(rawValue)")
    case .eve: ("Cookie", Self.cookie)
    }
  }

  /// Reads the person that a request was sent for.
  init(_ fields: HTTPFields) {
    let name = fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
    self = name.flatMap(Reader.init) ?? (fields["Cookie"] == Self.cookie ? .eve : .anyone)
  }
}

/// What a request asks of the HTTP cache. In seconds.
enum Wish: Sendable, Hashable {
  case nothing
  case revalidate
  case onlyIfCached
  case noStore
  case maxAge(Int)
  case minFresh(Int)
  case maxStale(Int?)
  case staleIfError(Int)

  static func pick(_ random: inout SeededRandom) -> Wish {
    let seconds = Int.random(in: 0...8, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: return .revalidate
    case 1: return .onlyIfCached
    case 2: return .noStore
    case 3: return .maxAge(seconds)
    case 4: return .minFresh(seconds / 2)
    case 5: return .maxStale(seconds)
    case 6: return .maxStale(nil)
    case 7: return .staleIfError(seconds)
    default: return .nothing
    }
  }

  var staleIfError: Int? { if case .staleIfError(let seconds) = self { seconds } else { nil } }

  /// The longest time that a response may have been stale if the server cannot be reached; nil if the request does not
  /// say.
  var longestStaleness: Int? {
    switch self {
    case .maxStale(let seconds): seconds ?? .max
    case .staleIfError(let seconds): seconds
    default: nil
    }
  }

  /// True if a stale response is not accepted, even if the server cannot be reached.
  var asksForFreshness: Bool {
    switch self {
    case .revalidate, .maxAge, .minFresh: true
    default: false
    }
  }

  func apply(to request: Request) -> Request {
    switch self {
    case .nothing: request.cached()
    case .revalidate: request.cached(.revalidate)
    case .onlyIfCached: request.cached(.onlyIfCached)
    case .noStore: request.cached(.noStore)
    case .maxAge(let seconds): request.cached(.maxAge(.seconds(seconds)))
    case .minFresh(let seconds): request.cached(.minFresh(.seconds(seconds)))
    case .maxStale(let seconds?): request.cached(.maxStale(.seconds(seconds)))
    case .maxStale(nil): request.cached(.maxStale)
    case .staleIfError(let seconds): request.cached(.staleIfError(.seconds(seconds)))
    }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a request has no answer. `description` is a sentence to act on; it shows no secret.
public struct RequestError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure. More may come, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The request cannot be sent as it is: its URL, a field or its body is wrong.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// Nobody waits for it any more; `cancellation` says why.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The same request was sent a moment ago, and this one asked to be ignored then.
    public static let ignoredRepeat = Code(rawValue: "ignoredRepeat")
    /// Nothing moved for the length of the time-out.
    public static let timedOut = Code(rawValue: "timedOut")
    /// The deadline of the whole call passed.
    public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
    /// The host's name has no address.
    public static let cannotResolveHost = Code(rawValue: "cannotResolveHost")
    /// No connection: refused, unreachable, or the proxy's.
    public static let cannotConnect = Code(rawValue: "cannotConnect")
    /// The server's certificate is not trusted: expired, for another host, or of an unknown authority.
    public static let untrustedCertificate = Code(rawValue: "untrustedCertificate")
    /// The server's public key is none of those that were pinned.
    public static let pinMismatch = Code(rawValue: "pinMismatch")
    /// TLS failed in another way.
    public static let tlsFailed = Code(rawValue: "tlsFailed")
    /// The connection ended before the answer was complete.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// What came is no valid HTTP answer.
    public static let invalidResponse = Code(rawValue: "invalidResponse")
    /// The answer's body cannot be decompressed.
    public static let badEncoding = Code(rawValue: "badEncoding")
    /// The answer's body is larger than may be kept in memory.
    public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
    /// The answer's fields are larger than accepted.
    public static let fieldsTooLarge = Code(rawValue: "fieldsTooLarge")
    /// More redirects than allowed.
    public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
    /// A redirect that is not followed, because it would leave http or lose safety.
    public static let redirectRefused = Code(rawValue: "redirectRefused")
    /// Validation refused the answer; `rejection` says why.
    public static let rejected = Code(rawValue: "rejected")
    /// The answer's JSON is not what was asked for.
    public static let decodingFailed = Code(rawValue: "decodingFailed")
    /// The body was a stream and has been read already.
    public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
    /// The body could not be read to its end.
    public static let bodyFailed = Code(rawValue: "bodyFailed")
    /// A file to upload is missing or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// A file changed its length while it was sent.
    public static let fileChanged = Code(rawValue: "fileChanged")
    /// The file to download to cannot be written: a missing folder, a full disk.
    public static let fileUnwritable = Code(rawValue: "fileUnwritable")
    /// A call that it waits for failed; `underlying` says how.
    public static let dependencyFailed = Code(rawValue: "dependencyFailed")
    /// The transport cannot do what was asked, and says so instead of doing it wrong.
    public static let unsupported = Code(rawValue: "unsupported")
  }

  /// Why validation refused an answer.
  public enum Rejection: Sendable, CustomStringConvertible {
    case status(Status, expected: Range<Int>)
    case contentType(String?, expected: [String])
    case empty
    case check(any Error)

    public var description: String {
      switch self {
      case .status(let status, let expected):
        "the server answered \(status), and \(expected.lowerBound) to \(expected.upperBound - 1) was expected"
      case .contentType(let type, let expected):
        "the answer is \(type.map(\.debugDescription) ?? "of no stated type"), "
          + "and \(expected.joined(separator: " or ")) was expected"
      case .empty: "the answer is empty, and a body was expected"
      case .check(let error): "a check refused the answer: \(error)"
      }
    }
  }

  private struct Parts: Sendable {
    let code: Code
    let message: String
    var method: Method?
    var url: String?
    var attempt: Int
    let status: Status?
    var fields: HTTPFields?
    var reachedServer: Bool
    let underlying: (any Error)?
    let cancellation: CancellationReason?
    let rejection: Rejection?
    let bodyPrefix: Data?
    var timing: Boxed<Timing>?
  }

  // Every function that may throw one has room for it.
  private var parts: Boxed<Parts>

  /// Called off: its message is the reason.
  init(_ reason: CancellationReason, attempt: Int) {
    self.init(.cancelled, message: "", attempt: attempt, reachedServer: true, cancellation: reason)
  }

  package init(
    _ code: Code, message: String, method: Method? = nil, url: String? = nil, attempt: Int = 0,
    status: Status? = nil, fields: HTTPFields? = nil, reachedServer: Bool, underlying: (any Error)? = nil,
    cancellation: CancellationReason? = nil, rejection: Rejection? = nil, bodyPrefix: Data? = nil
  ) {
    parts = Boxed(
      Parts(
        code: code, message: message, method: method, url: url, attempt: attempt, status: status,
        fields: fields, reachedServer: reachedServer, underlying: underlying, cancellation: cancellation,
        rejection: rejection, bodyPrefix: bodyPrefix))
  }

  public var code: Code { parts.value.code }

  /// What happened, without the request.
  public var message: String {
    // Put together when it is read: thousands may be called off at once, and most of them stay quiet.
    parts.value.cancellation.map { "called off: \($0)" } ?? parts.value.message
  }

  public internal(set) var method: Method? {
    get { parts.value.method }
    set { parts.value.method = newValue }
  }

  /// The URL, without its secrets.
  public internal(set) var url: String? {
    get { parts.value.url }
    set { parts.value.url = newValue }
  }

  /// Which try failed, or was the last, from 1; 0 if none was made or none had ended when it was called off.
  public internal(set) var attempt: Int {
    get { parts.value.attempt }
    set { parts.value.attempt = newValue }
  }

  /// The status, if an answer came.
  public var status: Status? { parts.value.status }

  /// The fields of the answer that was refused.
  public internal(set) var fields: HTTPFields? {
    get { parts.value.fields }
    set { parts.value.fields = newValue }
  }

  /// False only if certainly nothing reached the server, so that even a POST may be sent again.
  public internal(set) var reachedServer: Bool {
    get { parts.value.reachedServer }
    set { parts.value.reachedServer = newValue }
  }

  /// What lies beneath: the system's or the user's own error.
  public var underlying: (any Error)? { parts.value.underlying }

  /// Why it was called off, if it was.
  public var cancellation: CancellationReason? { parts.value.cancellation }

  /// Why validation refused the answer, if it did.
  public var rejection: Rejection? { parts.value.rejection }

  /// The first part (at most 64 KiB) of an answer that was refused.
  public var bodyPrefix: Data? { parts.value.bodyPrefix }

  /// The timing of an answer that was refused, if it was read to its end.
  public internal(set) var timing: Timing? {
    get { parts.value.timing?.value }
    set { parts.value.timing = newValue.map(Boxed.init) }
  }

  /// The same error, and what it is about.
  func about(_ method: Method, _ url: String, _ fields: HTTPFields?) -> RequestError {
    var parts = parts.value
    parts.method = method
    parts.url = url
    parts.fields = fields
    var error = self
    error.parts = Boxed(parts)
    return error
  }

  public var description: String {
    var text = message
    if let method { text = "\(method)\(url.map { " \($0)" } ?? ""): \(text)" }
    if attempt > 1 { text += " (try \(attempt))" }
    return text
  }
}

extension RequestError: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { "RequestError(.\(code)) \(description)" }
  public var customMirror: Mirror { Mirror(self, children: ["code": code, "description": description]) }
}

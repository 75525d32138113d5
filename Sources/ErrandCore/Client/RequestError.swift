#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The reason why a request has no response. `description` is a sentence that shows no secret.
///
/// If a server rejected the request, `description` ends with the server's explanation (`serverWords`);
/// `message` does not include it.
public struct RequestError: Error, Sendable, CustomStringConvertible {
  /// The kind of a failure. Versions may add kinds, so keep a `default` case.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code, such as `timedOut`.
    package let rawValue: String
    /// Makes a code of the given name.
    package init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The request cannot be sent: its URL, a header field or its body is wrong.
    public static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The request was cancelled; `cancellation` says why.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The same request was sent shortly before, and this one was to be ignored then (`ignoringRepeats`).
    public static let ignoredRepeat = Code(rawValue: "ignoredRepeat")
    /// No bytes were sent or received for the length of the time-out.
    public static let timedOut = Code(rawValue: "timedOut")
    /// The deadline of the whole call passed.
    public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
    /// The host name has no address.
    public static let cannotResolveHost = Code(rawValue: "cannotResolveHost")
    /// No connection was made: it was refused, the server is unreachable, or the proxy failed.
    public static let cannotConnect = Code(rawValue: "cannotConnect")
    /// The host has only addresses that the transport's address policy refuses. No connection was made.
    public static let addressRefused = Code(rawValue: "addressRefused")
    /// The proxy requires a user and a password (407), and none were given or they were wrong.
    public static let proxyAuthenticationFailed = Code(rawValue: "proxyAuthenticationFailed")
    /// The server's certificate is not trusted: it is expired, for another host, or from an unknown
    /// authority.
    public static let untrustedCertificate = Code(rawValue: "untrustedCertificate")
    /// The server's public key is not among the pinned keys.
    public static let pinMismatch = Code(rawValue: "pinMismatch")
    /// TLS failed for another reason: both sides have no version in common, or the server refused the
    /// client's certificate.
    public static let tlsFailed = Code(rawValue: "tlsFailed")
    /// The connection ended before the response was complete.
    public static let connectionLost = Code(rawValue: "connectionLost")
    /// The bytes received are not a valid HTTP response.
    public static let invalidResponse = Code(rawValue: "invalidResponse")
    /// The response's body cannot be decompressed.
    public static let badEncoding = Code(rawValue: "badEncoding")
    /// The response's body does not match its digest, or lacks a required digest; or the response lacks a
    /// valid signature that is required.
    public static let integrityFailed = Code(rawValue: "integrityFailed")
    /// The response's body cannot be decrypted, or is not encrypted although it must be.
    public static let decryptionFailed = Code(rawValue: "decryptionFailed")
    /// A body is larger than the limit for bodies in memory, or a download is larger than its limit.
    public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
    /// The response's header fields exceed the limit.
    public static let fieldsTooLarge = Code(rawValue: "fieldsTooLarge")
    /// There were more redirects than allowed.
    public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
    /// A redirect was not followed: its target is invalid, or the redirect policy does not allow it.
    public static let redirectRefused = Code(rawValue: "redirectRefused")
    /// The next page was not requested: its URL is not valid or was requested before, the redirect policy does not allow
    /// it, or there were more pages than allowed.
    public static let pageRefused = Code(rawValue: "pageRefused")
    /// Validation rejected the response; `rejection` says why.
    public static let rejected = Code(rawValue: "rejected")
    /// The response's JSON cannot be decoded as the requested type.
    public static let decodingFailed = Code(rawValue: "decodingFailed")
    /// The body is a stream that has been read already.
    public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
    /// The body could not be read to its end.
    public static let bodyFailed = Code(rawValue: "bodyFailed")
    /// A file to upload is missing or cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// A file to upload changed while it was sent, or since the previous attempt.
    public static let fileChanged = Code(rawValue: "fileChanged")
    /// The file for a download cannot be written: its folder is missing, or the disk is full.
    public static let fileUnwritable = Code(rawValue: "fileUnwritable")
    /// A resumable upload cannot be completed: the server contradicts itself, has lost the upload, or does not accept its
    /// size.
    public static let uploadFailed = Code(rawValue: "uploadFailed")
    /// The client is signed out, or the identity must sign in again.
    public static let signedOut = Code(rawValue: "signedOut")
    /// The request is stored for another identity than the one that is signed in.
    public static let otherIdentity = Code(rawValue: "otherIdentity")
    /// The credential could not be refreshed; `underlying` says why.
    public static let refreshFailed = Code(rawValue: "refreshFailed")
    /// Refreshing the credential did not help, several times within a short time.
    public static let excessiveRefresh = Code(rawValue: "excessiveRefresh")
    /// A call that this request depends on failed; `underlying` is its error.
    public static let dependencyFailed = Code(rawValue: "dependencyFailed")
    /// The transport's configuration is invalid: a client certificate or a pin cannot be read, or a password
    /// is wrong.
    public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
    /// The transport does not support an option of the request, and does not send the request without it.
    public static let unsupported = Code(rawValue: "unsupported")
  }

  /// The reason why validation rejected a response.
  public enum Rejection: Sendable, CustomStringConvertible, CustomReflectable {
    /// The status is not one of those that the request accepts.
    case status(HTTPStatus, expected: AcceptedStatuses)
    /// The content type, nil if the response has none, does not match the expected ones.
    case contentType(String?, expected: [String])
    /// The response has no body, and one is required.
    case empty
    /// A check threw this error (`Request.validate(_:)`).
    case check(any Error)

    public var description: String {
      switch self {
      case .status(let status, let expected):
        "the server responded with \(status), but \(expected) was expected"
      case .contentType(let type, let expected):
        "the content type of the response is \(type.map(\.debugDescription) ?? "missing"), "
          + "but \(expected.joined(separator: " or ")) was expected"
      case .empty: "the response is empty, but a body was expected"
      case .check(let error): "a check rejected the response: \(error.shown)"
      }
    }
    /// A mirror that shows only the description.
    public var customMirror: Mirror { Mirror(self, children: ["rejection": description]) }
  }

  private struct Parts: Sendable {
    let code: Code
    var message: String
    var method: HTTPMethod?
    var url: String?
    var attempt: Int
    let status: HTTPStatus?
    var fields: HTTPFields?
    var reachedServer: Bool
    let underlying: (any Error)?
    let cancellation: CancellationReason?
    let rejection: Rejection?
    let bodyPrefix: Data?
    let resend: ResendReason?
    var timing: Boxed<Timing>?
    var origin: String?
    var retryAfter: Duration?
    var response: Response?
    var secrets: Secrets?
  }

  // Boxed, because each function that can throw this error reserves space for it.
  private var parts: Boxed<Parts>

  /// Makes the error of a cancelled request, whose message is the reason.
  init(_ reason: CancellationReason, attempt: Int, reachedServer: Bool) {
    self.init(.cancelled, message: "", attempt: attempt, reachedServer: reachedServer, cancellation: reason)
  }

  package init(
    _ code: Code, message: String, method: HTTPMethod? = nil, url: String? = nil, attempt: Int = 0,
    status: HTTPStatus? = nil, fields: HTTPFields? = nil, reachedServer: Bool, underlying: (any Error)? = nil,
    cancellation: CancellationReason? = nil, rejection: Rejection? = nil, bodyPrefix: Data? = nil,
    resend: ResendReason? = nil
  ) {
    parts = Boxed(
      Parts(
        code: code, message: message, method: method, url: url, attempt: attempt, status: status,
        fields: fields, reachedServer: reachedServer, underlying: underlying, cancellation: cancellation,
        rejection: rejection, bodyPrefix: bodyPrefix, resend: resend))
  }

  /// The kind of the failure.
  public var code: Code { parts.value.code }

  /// The description of the failure, without the request.
  public var message: String {
    // Computed when read: thousands of requests may be cancelled at once, and most messages are never read.
    parts.value.cancellation.map { "cancelled: \($0)" } ?? parts.value.message
  }

  /// The request's method; nil for an error that has not passed through a client yet.
  public internal(set) var method: HTTPMethod? {
    get { parts.value.method }
    set { parts.value.method = newValue }
  }

  /// The URL without its secrets, shortened if it is long.
  public internal(set) var url: String? {
    get { parts.value.url }
    set { parts.value.url = newValue }
  }

  /// The number, from 1, of the attempt that failed or was the last. It is 0 if the request was
  /// not attempted, or was cancelled before an attempt had ended.
  public internal(set) var attempt: Int {
    get { parts.value.attempt }
    set { parts.value.attempt = newValue }
  }

  /// The status of the response; nil if no response arrived.
  public var status: HTTPStatus? { parts.value.status }

  /// The header fields of the rejected response.
  public internal(set) var fields: HTTPFields? {
    get { parts.value.fields }
    set { parts.value.fields = newValue }
  }

  /// True unless it is certain that no bytes reached the server. If false, even a POST may be sent again.
  public package(set) var reachedServer: Bool {
    get { parts.value.reachedServer }
    set { parts.value.reachedServer = newValue }
  }

  /// The error of the system or the application that caused this one. No description shows it, because it may
  /// quote data that was sent or received.
  public var underlying: (any Error)? { parts.value.underlying }

  /// The reason why the request was cancelled; nil if it was not.
  public var cancellation: CancellationReason? { parts.value.cancellation }

  /// The reason why validation rejected the response; nil if it did not.
  public var rejection: Rejection? { parts.value.rejection }

  /// The beginning (at most 64 KiB) of the body of a rejected response.
  public var bodyPrefix: Data? { parts.value.bodyPrefix }

  /// The reason why the request may be sent again at once, without another attempt; nil if it may not.
  var resend: ResendReason? { parts.value.resend }

  /// The canonical name of the rejected response's origin, which after redirects is not the request's.
  package internal(set) var origin: String? {
    get { parts.value.origin }
    set { parts.value.origin = newValue }
  }

  /// The complete rejected response, if another caller of a shared request may accept it.
  var response: Response? {
    get { parts.value.response }
    set { parts.value.response = newValue }
  }

  /// How long the server asked to wait before the next attempt (`Retry-After`), from the time of the failure;
  /// nil if it did not ask.
  public internal(set) var retryAfter: Duration? {
    get { parts.value.retryAfter }
    set { if newValue != parts.value.retryAfter { parts.value.retryAfter = newValue } }
  }

  mutating func addToMessage(_ text: String) { parts.value.message += "; \(text)" }

  /// The timing of a rejected response, if the response was read to its end.
  public internal(set) var timing: Timing? {
    get { parts.value.timing?.value }
    set { parts.value.timing = newValue.map(Boxed.init) }
  }

  /// Returns this error with the request's method and URL, and the response's header fields.
  /// - Parameter secrets: The names of the secrets that the error hides.
  func about(_ method: HTTPMethod, _ url: String, _ fields: HTTPFields?, hiding secrets: Secrets)
    -> RequestError
  {
    var parts = parts.value
    parts.method = method
    parts.url = url
    parts.fields = fields
    parts.secrets = secrets
    parts.response = nil
    var error = self
    error.parts = Boxed(parts)
    return error
  }

  public var description: String {
    descriptionWithoutWords + (serverWords.map(ServerWords.clause) ?? "")
  }

  package var descriptionWithoutWords: String {
    var text = message
    if let method { text = "\(method)\(url.map { " \($0)" } ?? ""): \(text)" }
    if attempt > 1 { text += " (attempt \(attempt))" }
    return LogText.line(text)
  }

  /// The server's explanation of its rejection, from the beginning of the response's body: one line of at
  /// most 200 characters, without secrets that are recognized by name. Nil if the status is 2xx, or the body
  /// is not text.
  ///
  /// For a JSON object it is the first of `detail` (RFC 9457), `message`, `error_description`, `error`,
  /// `title` and `reason`; for an HTML page it is the title. It is computed at each access.
  public var serverWords: String? {
    guard code == .rejected, let status, !status.isSuccess, let body = bodyPrefix else { return nil }
    return ServerWords(secrets: parts.value.secrets ?? .standard).words(
      body, fields?["Content-Type"], isWhole: body.count < Rejection.prefixLimit)
  }
}

extension RequestError: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { "RequestError(.\(code)) \(description)" }
  /// A mirror that shows only the code and the description.
  public var customMirror: Mirror { Mirror(self, children: ["code": code, "description": description]) }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One attempt, as a transport sees it: the request to send, the sink of the response, and the cancellation.
public final class Exchange: Sendable {
  /// A request for a transport, complete and checked. Only the client creates it.
  public struct Request: Sendable {
    /// The HTTP method. It is a valid token, and never CONNECT.
    public let method: HTTPMethod
    /// The absolute URL, without a user or a password.
    public let url: URL
    /// True if the scheme is https.
    package let isSecure: Bool
    /// The header fields to send, checked. They never include `Content-Length` and `Transfer-Encoding`, which
    /// the transport derives from `upload`.
    public let fields: HTTPFields
    /// The body to send, with its content codings applied.
    public let upload: Upload
    /// The time without any transferred bytes after which the attempt fails.
    public let timeout: Duration
    /// The time after which the attempt fails if no connection is made; nil to apply `timeout`. If it is set,
    /// `timeout` applies only after the connection is made.
    public let connectTimeout: Duration?
    /// The version of HTTP to use.
    public let httpVersion: HTTPVersionPreference
    /// True if the transport decodes the content codings of the response's body. If false, it delivers the
    /// body as it was transferred, and asks for no codings except those in `fields`.
    public let decodesContent: Bool
    /// False if a transport that sends requests again by itself must use a new connection for this request,
    /// because a reused connection may be stale.
    public let mayBeRepeated: Bool

    /// Only `Exchange+Check` calls this.
    init(
      checked method: HTTPMethod, _ url: URL, isSecure: Bool, _ fields: HTTPFields, _ upload: Upload,
      _ timeout: Duration, _ connectTimeout: Duration?, _ httpVersion: HTTPVersionPreference,
      mayBeRepeated: Bool,
      decodesContent: Bool
    ) {
      self.decodesContent = decodesContent
      self.method = method
      self.url = url
      self.isSecure = isSecure
      self.fields = fields
      self.upload = upload
      self.timeout = timeout
      self.connectTimeout = connectTimeout
      self.httpVersion = httpVersion
      self.mayBeRepeated = mayBeRepeated
    }
  }

  /// The request to send.
  public let request: Request
  private let cancellation: CancellationToken
  private let attempt: Attempt
  private var progress: ProgressHub? { attempt.context.progress }

  /// - Parameter cancellation: Ends the exchange. A stream has its own token.
  init(request: Request, cancellation: CancellationToken, of attempt: Attempt) {
    self.request = request
    self.cancellation = cancellation
    self.attempt = attempt
  }

  /// Returns the sink for the body of the response with this head.
  /// - Throws: An error if the body is not wanted. The transport must then end the transfer and throw this
  ///   error.
  public func sink(for head: ResponseHead) throws -> any BodySink { try attempt.sink(for: head) }

  /// Records the trailers of the response: the fields that came after its body, in order (RFC 9110, section 6.5).
  /// Call it once, before the attempt ends, and not for a response without trailers.
  public func received(trailers: HTTPFields) { attempt.received(trailers) }

  /// Records that the transport may send bytes of the request from now on. Until then, the server has
  /// received no byte of the request.
  public func requestGoesOut() { attempt.context.cancellation.markSent() }

  /// Reports the transport's steps to listeners; nil if the client has no listeners.
  package var events: ExchangeEvents? { attempt.events }

  /// The reader of the request's body, if it wants the interim responses to its request; else nil.
  package var interimReader: (any InterimReader)? {
    if case .reader(let reader) = request.upload { reader as? any InterimReader } else { nil }
  }

  /// Calls a handler once when the call is cancelled.
  /// - Parameter handler: The handler. If the call is cancelled already, it is called at once, on this thread.
  /// - Returns: The identifier for `removeCancelHandler(_:)`.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> CancelHandlerID {
    cancellation.onCancel(handler)
  }

  /// Removes a handler of `onCancel(_:)`. Call it when the attempt has ended.
  public func removeCancelHandler(_ id: CancelHandlerID) { cancellation.removeCancelHandler(id) }

  /// True if the progress of the upload is observed. If false, a transport need not call `didSend(total:)`.
  public var wantsUploadProgress: Bool { progress != nil }

  /// Reports the progress of the upload.
  /// - Parameter bytes: The number of bytes of the body that this attempt has sent so far.
  public func didSend(total bytes: Int64) { progress?.sent(bytes) }

  /// Returns an error about this attempt. The client adds the request to it later.
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: A description of the failure, without secrets.
  ///   - reachedServer: True if the server may have received the request.
  ///   - underlying: The error of a library or the system. Default: nil.
  ///   - resend: The reason why the client may send the request again at once, without a new attempt.
  ///     Default: nil.
  public func error(
    _ code: RequestError.Code, _ message: String, reachedServer: Bool, underlying: (any Error)? = nil,
    resend: ResendReason? = nil
  ) -> RequestError {
    RequestError(code, message: message, reachedServer: reachedServer, underlying: underlying, resend: resend)
  }
}

/// Reports the steps of an attempt that only its transport sees to the listeners.
///
/// Call it from one thread at a time, and hold no lock, because listeners are called at once.
package struct ExchangeEvents: Sendable {
  private let events: CallEvents
  private let place: CallEvents.Place

  init(_ events: CallEvents, attempt: Int, redirects: Int) {
    self.events = events
    place = CallEvents.Place(attempt: attempt, redirects: redirects)
  }

  /// Reports that the host's name was resolved.
  /// - Parameter time: The time that the look-up took.
  package func resolved(in time: Duration) { events.transportTells(.resolved(time), place) }

  /// Reports that a connection was made.
  /// - Parameter time: The time since the end of the look-up.
  package func connected(in time: Duration) { events.transportTells(.connected(time), place) }

  /// Reports that the TLS handshake was completed.
  /// - Parameter time: The time since the connection was made.
  package func secured(in time: Duration) { events.transportTells(.secured(time), place) }

  /// Reports that an existing connection is reused.
  package func connectionReused() { events.transportTells(.connectionReused, place) }

  /// Reports the address that the connection leads to.
  /// - Parameter address: An IP address, without a port.
  package func reached(_ address: String) { events.transportTells(.reached(address: address), place) }

  /// Reports that the header fields were written to the connection.
  package func fieldsSent() { events.transportTells(.fieldsSent, place) }

  /// Reports that the complete body was written to the connection.
  /// - Parameter bytes: The length of the body in bytes.
  package func bodySent(_ bytes: Int64) { events.transportTells(.bodySent(bytes), place) }

  /// Reports an interim response (1xx) other than 101, which comes before the response.
  package func interim(_ head: ResponseHead) { events.interim(head, place) }

  /// Reports that the first byte of the response has arrived.
  package func firstByte() { events.transportTells(.firstByte, place) }
}

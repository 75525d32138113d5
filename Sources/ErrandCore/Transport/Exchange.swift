#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One attempt, for a transport: the request to send, the sink of the response, and the cancellation.
public final class Exchange: Sendable {
  /// A request for a transport, complete and checked; only `Exchange+Check` makes one.
  public struct Request: Sendable {
    public let method: HTTPMethod
    public let url: URL
    /// True for https.
    public let isSecure: Bool
    public let fields: HTTPFields
    public let upload: Upload
    /// The time after which the attempt fails when no bytes moved.
    public let timeout: Duration
    /// The time after which the attempt fails when there is no connection; nil for `timeout`, which counts only from the
    /// connection on where this is set.
    public let connectTimeout: Duration?
    public let httpVersion: HTTPVersionPreference
    /// False if the body of the response is delivered as it was transferred, without decoding its content codings, and
    /// none is asked for but those that the fields have.
    public let decodesContent: Bool
    /// False if a transport that sends requests again by itself must not send this one on a reused connection, which
    /// may be stale.
    public let mayBeRepeated: Bool

    /// For `Exchange+Check` only.
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

  public let request: Request
  private let progress: ProgressHub?
  private let cancellation: CancellationToken
  private let receiver: any HeadReceiver

  init(
    request: Request, cancellation: CancellationToken, progress: ProgressHub?, receiver: any HeadReceiver
  ) {
    self.request = request
    self.cancellation = cancellation
    self.progress = progress
    self.receiver = receiver
  }

  /// Returns the sink for the body of this response. Throws if the response is not wanted: then the attempt
  /// fails with that error.
  public func sink(for head: ResponseHead) throws -> any BodySink { try receiver.sink(for: head) }

  /// Records that bytes of the request may be sent from now on: until then a failure has not reached the server.
  public func requestGoesOut() { receiver.goesOut() }

  /// Takes what the transport tells of this attempt; nil if nothing listens, and then it costs nothing.
  public var events: ExchangeEvents? { receiver.events }

  /// Calls `handler` once when the call is cancelled; at once, on this thread, if it has been already.
  /// Returns the identifier for `removeCancelHandler`, to be called when the attempt has ended.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> CancelHandlerID {
    cancellation.onCancel(handler)
  }

  public func removeCancelHandler(_ id: CancelHandlerID) { cancellation.removeCancelHandler(id) }

  /// True if the progress of the upload is observed; reporting it costs something.
  public var wantsUploadProgress: Bool { progress != nil }

  /// Reports the total bytes of the body that this attempt has sent.
  public func didSend(total bytes: Int64) { progress?.sent(bytes) }

  /// Returns an error about this attempt. The request is added to it later; `message` must show no secret.
  /// - Parameter resend: The reason why the client may send the request again at once, without a new attempt.
  ///   Default: nil.
  public func error(
    _ code: RequestError.Code, _ message: String, reachedServer: Bool, underlying: (any Error)? = nil,
    resend: ResendReason? = nil
  ) -> RequestError {
    RequestError(code, message: message, reachedServer: reachedServer, underlying: underlying, resend: resend)
  }
}

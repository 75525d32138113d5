#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One try, as a transport sees it: what to send, where the answer goes, and how it hears that nobody waits any more.
public final class Exchange: Sendable {
  /// What goes over the wire, with everything decided and checked: there is no other way to make one (`Exchange+Check`).
  public struct Request: Sendable {
    public let method: Method
    public let url: URL
    /// True for https.
    public let isSecure: Bool
    public let fields: HTTPFields
    public let upload: Upload
    /// The try fails when nothing moved for this long.
    public let timeout: Duration
    public let httpVersion: HTTPVersionPreference
    /// False if a transport that cannot ask `claimRepeat` must not send it on a kept connection, which may be stale.
    public let mayBeRepeated: Bool

    /// For the check alone.
    init(
      checked method: Method, _ url: URL, isSecure: Bool, _ fields: HTTPFields, _ upload: Upload,
      _ timeout: Duration, _ httpVersion: HTTPVersionPreference, mayBeRepeated: Bool
    ) {
      self.method = method
      self.url = url
      self.isSecure = isSecure
      self.fields = fields
      self.upload = upload
      self.timeout = timeout
      self.httpVersion = httpVersion
      self.mayBeRepeated = mayBeRepeated
    }
  }

  public let request: Request
  private let progress: ProgressHub?
  private let signal: StopSignal
  private let receiver: any HeadReceiver

  init(
    request: Request, signal: StopSignal, progress: ProgressHub?, receiver: any HeadReceiver
  ) {
    self.request = request
    self.signal = signal
    self.progress = progress
    self.receiver = receiver
  }

  /// Where the body of this answer goes. Throws if the answer is not wanted: then the try fails with that error.
  public func sink(for head: ResponseHead) throws -> any BodySink { try receiver.sink(for: head) }

  /// To be asked before the transport sends the request once more by itself, because a kept connection was closed before
  /// any byte of an answer. If this returns true it counts as a try; otherwise this one has failed with `connectionLost`.
  public func claimRepeat() -> Bool { receiver.claimRepeat() }

  /// Calls `handler` once when the call is called off; at once, on this thread, if it has been already.
  /// Returns what to hand to `removeCancelHandler` when the try has ended.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> CancelHandlerID {
    signal.onStop(handler)
  }

  public func removeCancelHandler(_ id: CancelHandlerID) { signal.removeStopHandler(id) }

  /// True if somebody looks at the bytes that go out; telling them costs something.
  public var wantsUploadProgress: Bool { progress != nil }

  /// So many bytes of the body have gone out in this try.
  public func didSend(total bytes: Int64) { progress?.sent(bytes) }

  /// An error about this try. The request is added to it later; `message` must show no secret.
  public func error(
    _ code: RequestError.Code, _ message: String, reachedServer: Bool, underlying: (any Error)? = nil
  ) -> RequestError {
    RequestError(code, message: message, reachedServer: reachedServer, underlying: underlying)
  }
}

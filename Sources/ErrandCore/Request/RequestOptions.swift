/// How a request wants to be treated. `Request`'s modifiers set these; nil means: as the client is configured.
public struct RequestOptions: Sendable, Hashable {
  /// A try ends when nothing moved for this long: no connection made, no byte out, no byte in.
  public var timeout: Duration?
  /// The whole call, with all its tries and the waits between them, ends after this time.
  public var deadline: Duration?
  /// Which failures are tried again, and when.
  public var retry: RetryPolicy?
  /// What counts as an answer.
  public var validator = ResponseValidator()
  /// The most bytes of an answer that are kept in memory, after decompression.
  public var memoryLimit: Int?
  /// The body is sent with `Content-Encoding: gzip`.
  public var compressesBody = false
  /// The HTTP version to speak.
  public var httpVersion = HTTPVersionPreference.automatic
}

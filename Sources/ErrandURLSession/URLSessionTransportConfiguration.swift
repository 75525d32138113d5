/// The configuration of a `URLSessionTransport`.
public struct URLSessionTransportConfiguration: Sendable {
  /// SHA-256 digests, in base64, of the public keys (SubjectPublicKeyInfo) that a server may have, besides a
  /// trusted certificate. Empty: any key. On Linux requests fail if there are any, because URLSession cannot
  /// check them there.
  public var pinnedPublicKeys: [String] = []
  /// The greatest number of connections to one host that speaks HTTP/1; a request beyond it waits for one.
  /// Default: 64.
  public var maxConnectionsPerHost = 64
  /// The greatest size of a body that is buffered in memory on Linux, where a body that is read piece by
  /// piece is read to its end before it is sent; a longer one goes to a temporary file. Default: 1 MiB.
  public var uploadMemoryLimit = 1 << 20
  /// The greatest number of bytes of a response that are buffered on Linux for a consumer that is slower than
  /// the network, because URLSession has no backpressure there. The request fails beyond it. Default: 64 MiB.
  public var responseBufferLimit = 64 << 20

  public init() {}
}

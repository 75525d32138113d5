/// How `URLSessionTransport` connects.
public struct URLSessionTransportConfiguration: Sendable {
  /// SHA-256 digests, in base64, of the public keys (SubjectPublicKeyInfo) that a server may have, besides a trusted
  /// certificate. Empty: any. On Linux a request is refused if there are any, because URLSession cannot check them there.
  public var pinnedPublicKeys: [String] = []
  /// The most connections to one host that speaks HTTP/1; a request beyond them waits for one. Default: 64.
  public var maxConnectionsPerHost = 64
  /// On Linux, a body that is read piece by piece is read to its end before it is sent: into memory up to so many bytes,
  /// into a temporary file beyond. Default: 1 MiB.
  public var uploadMemoryLimit = 1 << 20
  /// On Linux, the most bytes of an answer that are held for a consumer that is slower than the network, because
  /// URLSession cannot make the server wait there. Beyond, the request fails. Default: 64 MiB.
  public var answerBufferLimit = 64 << 20

  public init() {}
}

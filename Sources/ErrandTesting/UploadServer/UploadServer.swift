public import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A server for tests of resumable uploads. It speaks the IETF's Resumable Uploads for HTTP and tus 1.0, and fails in
/// the ways that uploads have to survive.
///
/// ```swift
/// let server = try UploadServer()
/// server.fail(.cut(after: 100_000), .status(503))
/// let response = try await client.upload(file, to: server.url)
/// #expect(server.uploads.count == 1 && server.uploads[0].isComplete)
/// ```
public final class UploadServer: Sendable {
  /// A protocol that the server speaks.
  public enum Dialect: Sendable, Hashable {
    /// Resumable Uploads for HTTP with this interop version, 3 to 8.
    case ietf(version: Int)
    /// tus 1.0.
    case tus
  }

  /// A failure of the server at one request with content.
  public enum Fault: Sendable, Hashable {
    /// Resets the connection when this number of bytes of the request's content has arrived and is stored.
    case cut(after: Int)
    /// Does the same, after the whole content has arrived, instead of the response.
    case cutBeforeResponse
    /// Stops reading when this number of bytes has arrived, until the client closes the connection.
    case stall(after: Int)
    /// Stores nothing, and responds with this status.
    case status(Int, retryAfter: Int? = nil)
    /// Stores only this number of bytes of the content, and responds that it has them.
    case storeOnly(Int)
    /// Changes a byte of the content before its checksum is compared.
    case damage
    /// No failure.
    case none
  }

  /// An upload on the server.
  public struct Upload: Sendable {
    /// The path of the upload's URL.
    public let path: String
    /// The header fields of the request that created the upload.
    public let fields: HTTPFields
    /// The number of bytes that are stored.
    public internal(set) var offset: Int64 = 0
    /// The length that the client announced; nil if it announced none.
    public internal(set) var length: Int64?
    /// True once the client has sent all bytes, and the server has processed them.
    public internal(set) var isComplete = false
    /// The bytes that are stored; empty if the server stores only their digest.
    public internal(set) var content = Data()
    /// The SHA-256 of the complete content.
    public internal(set) var digest: Data?
    let dialect: Dialect
    var response: MockResponse?
    var isBusy = false
  }

  /// The limits and the behaviour of a server.
  public struct Rules: Sendable {
    /// The protocols, the preferred one first.
    public var dialects: [Dialect] = [.ietf(version: 8), .tus]
    /// True to send 104 with the upload's URL before the content arrives. Default: true.
    public var sendsInterims = true
    /// The value of `Upload-Limit` in the IETF's protocol, and `Tus-Max-Size` from `max-size`.
    public var limits: KeyValuePairs<String, Int64> = [:]
    /// The most bytes of one request's content, as of a proxy that refuses more with 413 and no explanation; nil for
    /// any. Default: nil.
    public var requestLimit: Int64?
    /// The status for a request to an upload to which another request still sends: 423 or 409. Nil ends the other
    /// request. Default: nil.
    public var statusWhenBusy: Int?
    /// True to keep the bytes in memory. False keeps only their number and digest, for large uploads. Default: true.
    public var keepsContent = true
    /// The digest algorithms of tus's extension checksum. Default: `sha256`.
    public var checksumAlgorithms = ["sha256"]
    /// The response to a complete upload. Default: 201 with the text `stored`.
    public var response = MockResponse.response(status: 201, body: "stored")

    /// Creates the default rules.
    public init() {}
  }

  /// The server below, with the record of all requests. It stores no content of uploads.
  public let server: MockServer
  private let state: Locked<UploadServerState>

  /// Starts a server.
  /// - Parameters:
  ///   - rules: The limits and the behaviour.
  ///   - port: The port; 0 selects a free one. Default: 0.
  /// - Throws: `MockServerError` if the port is in use.
  public init(_ rules: Rules = Rules(), port: Int = 0) throws {
    server = try MockServer(port: port)
    state = Locked(UploadServerState(rules))
    server.on("/files", at: .head) { [weak self] in self?.respond(to: $0, isTarget: true) ?? .close }
    server.on("/uploads/*", at: .head) { [weak self] in self?.respond(to: $0, isTarget: false) ?? .close }
  }

  /// The URL to which files are uploaded.
  public var url: URL { server.url("/files") }

  /// The uploads, in the order in which they were created. Removed ones are not among them.
  public var uploads: [Upload] { state.withLock { $0.uploads } }

  /// The number of bytes of content of all requests, including those that were sent twice.
  public var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }

  /// Adds failures for the next requests with content, one for each.
  public func fail(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  /// Adds failures for the next requests with content, one for each.
  public func fail(_ faults: some Sequence<Fault>) { state.withLock { $0.faults += faults } }

  /// Removes the failures that no request has met.
  public func clearFaults() { state.withLock { $0.faults = [] } }

  /// Reports these offsets to the next questions for an offset, one for each, instead of the true ones.
  public func reportOffsets(_ offsets: Int64...) { state.withLock { $0.lies += offsets } }

  /// Forgets every upload, so that requests to them get a 404 or a 410.
  public func forget(status: Int = 404) {
    state.withLock { state in
      state.uploads = []
      state.hashes = [:]
      state.goneStatus = status
    }
  }

  private func respond(to request: MockRequest, isTarget: Bool) -> MockResponse {
    let outcome = state.withLock { $0.respond(to: request, isTarget: isTarget) }
    switch outcome {
    case .response(let response): return response
    case .receive(let reception, let interims):
      let taker = UploadTaker(reception) { [weak self] event in
        guard let self else { return .cut }
        return state.withLock { $0.take(event, reception) }
      }
      var response = MockResponse()
      response.content = .taken(taker)
      response.interims = interims
      return response
    }
  }
}

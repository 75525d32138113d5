public import Errand
import ErrandHTTPTypes
public import HTTPTypes
public import OpenAPIRuntime

#if canImport(Darwin)
  public import struct Foundation.Data
  public import struct Foundation.URL
#else
  @preconcurrency public import struct Foundation.Data
  @preconcurrency public import struct Foundation.URL
#endif

/// Sends the requests of a client that Swift OpenAPI Generator has generated.
///
/// ```swift
/// let api = Client(serverURL: try Servers.Server1.url(), transport: ErrandTransport(client))
/// ```
///
/// Bodies are streamed in both directions. A request body that may be read several times, and has at most `replayLimit` bytes,
/// is read into memory first, so that Errand's retries and redirects can send it again. A larger one, or one that can be read
/// once, is sent once.
///
/// The generated code gets every status: those that Errand retries (408, 425, 429, 500, 502, 503, 504) after the last attempt,
/// and all others at once. The body of a response with one of these statuses has to be smaller than 64 KiB; otherwise the call
/// fails with a `RequestError` (`rejected`). Other failures are a `RequestError` too, as `ClientError.underlyingError`.
public struct ErrandTransport: ClientTransport {
  /// The statuses that Errand does not retry.
  private static let accepted = (100...999).filter { !RetryPolicy().statuses.contains($0) }
  /// Errors keep that many bytes of a body.
  private static let keptBytes = 64 << 10

  private let client: Errand.Client
  private let replayLimit: Int
  private let configure: @Sendable (Request, String) -> Request

  /// Makes a transport.
  /// - Parameters:
  ///   - client: Sends the requests.
  ///   - replayLimit: The maximum length of a request body that is read into memory. Default: 1 MiB.
  ///   - configure: Adds options to the request of the operation with this identifier, such as a deadline. Default: none.
  public init(
    _ client: Errand.Client, replayLimit: Int = 1 << 20,
    configure: @escaping @Sendable (_ request: Request, _ operationID: String) -> Request = { request, _ in
      request
    }
  ) {
    self.client = client
    self.replayLimit = replayLimit
    self.configure = configure
  }

  public func send(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
  ) async throws -> (HTTPResponse, HTTPBody?) {
    var head = request
    // Only the path and the query are left of the target, because the URL is given.
    (head.scheme, head.authority, head.path) = (nil, nil, "/")
    let joined = Self.join(baseURL.absoluteString, request.path ?? "")
    let described = Request(
      HTTPMethod(request.method.rawValue), joined, fields: Request(head).fields,
      body: try await requestBody(body))
    do {
      let response = try await client.stream(configure(described.accepting(Self.accepted), operationID))
      return (
        try Self.head(response.status, response.fields), Self.responseBody(response, to: request.method)
      )
    } catch let error as RequestError {
      guard case .status = error.rejection, let status = error.status, let fields = error.fields,
        let data = error.bodyPrefix, data.count < Self.keptBytes
      else { throw error }
      return (try Self.head(status, fields), HTTPBody(data))
    }
  }

  /// Joins a server's URL and an operation's path, which are both percent-encoded.
  private static func join(_ server: String, _ path: String) -> String {
    let base = server.prefix { $0 != "#" }
    let query = base.firstIndex(of: "?").map { base[$0...].dropFirst() }
    var text = String(base.prefix { $0 != "?" })
    if path.hasPrefix("/"), text.hasSuffix("/") { text.removeLast() }
    if !path.isEmpty, !path.hasPrefix("/"), !path.hasPrefix("?"), !text.hasSuffix("/") { text += "/" }
    text += path
    guard let query, !query.isEmpty else { return text }
    return "\(text)\(path.contains("?") ? "&" : "?")\(query)"
  }

  private func requestBody(_ body: HTTPBody?) async throws -> RequestBody {
    guard let body else { return .none }
    var length: Int64?
    if case .known(let count) = body.length { length = Int64(count) }
    if let length, length <= replayLimit, body.iterationBehavior == .multiple {
      var data = Data()
      for try await chunk in body where data.count <= replayLimit { data.append(contentsOf: chunk) }
      // A body that is longer than it says fails as a stream.
      if data.count == length { return .bytes(data) }
    }
    return .stream(body.map { Data($0) }, length: length)
  }

  private static func head(_ status: HTTPStatus, _ fields: Errand.HTTPFields) throws -> HTTPResponse {
    guard let head = HTTPResponse(status: status, fields: fields) else { throw InvalidHead() }
    return head
  }

  /// Returns nil for a response that has no body by definition (RFC 9112, section 6.3).
  private static func responseBody(_ response: Errand.Response, to method: HTTPRequest.Method) -> HTTPBody? {
    if method == .head || [204, 205, 304].contains(response.status.code) { return nil }
    // The length of a body with a content coding is that of the coded bytes.
    let length =
      response.fields.contains("Content-Encoding")
      ? nil : response.fields["Content-Length"].flatMap(Int64.init)
    return HTTPBody(
      response.chunks, length: length.map { .known(numericCast($0)) } ?? .unknown, iterationBehavior: .single)
  }
}

/// The head of a response cannot be represented by HTTPTypes.
private struct InvalidHead: Error, CustomStringConvertible {
  var description: String { "the response has a status or a header field that HTTPTypes does not represent" }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The reaction of a `MockServer` to one request: a correct response, a broken one, or no response. Create a
/// correct response, then break it with methods such as `closing(at:)`, `stalling(at:)` and
/// `dripping(_:every:)`.
///
/// ```swift
/// server.on("GET", "/cut") { _ in .response(body: "hello world").closing(at: .body(5)) }
/// ```
public struct MockResponse: Sendable {
  /// A point in a response.
  public enum Point: Sendable, Hashable {
    /// Before the first byte.
    case start
    /// After this number of bytes of the head.
    case head(Int)
    /// After the whole head.
    case headEnd
    /// After this number of bytes of the body, including the framing of chunks.
    case body(Int)
    /// After the last byte.
    case end
  }

  enum Fault: Sendable {
    case close
    case closeUnread
    case reset
    case stall
    case pause(Duration)
  }

  enum Content: Sendable {
    /// The body, and the length to announce; nil to announce no length.
    case plain(Data, length: Int?)
    /// A body with the framing of chunks.
    case chunked(Data)
    /// The whole response, head and body.
    case raw(Data)
    /// The request's body and trailers, as they arrive.
    case echo
    /// The response that follows when the taker has the whole body.
    case taken(any BodyTaker)
  }

  var status = 200
  var fields = HTTPFields()
  var content = Content.plain(Data(), length: 0)
  /// The heads of interim responses (1xx), sent before the response's own.
  var interims: [Data] = []
  var awaitsBody = false
  var stopsReading = false
  var closes = false
  var faults: [(point: Point, fault: Fault)] = []
  var drip: (bytes: Int, interval: Duration)?

  init() {}

  /// Returns a complete response. `Content-Length` is added, unless `fields` has it or the status is 204 or 304.
  public static func response(status: Int = 200, fields: HTTPFields = [:], body: Data) -> MockResponse {
    var response = MockResponse()
    response.status = status
    response.fields = fields
    response.content = .plain(body, length: body.count)
    return response
  }

  /// Returns a complete response with text as its body.
  public static func response(status: Int = 200, fields: HTTPFields = [:], body: String = "") -> MockResponse
  {
    .response(status: status, fields: fields, body: Data(body.utf8))
  }

  /// Returns a response with a value as JSON, and the content type `application/json`. If the value cannot be encoded,
  /// the response is a 500 with the error of the encoder.
  public static func response(
    status: Int = 200, fields: HTTPFields = [:], json: some Encodable, encoder: JSONEncoder = JSONEncoder()
  ) -> MockResponse {
    var fields = fields
    fields.appendMissing(["Content-Type": "application/json"])
    do {
      return .response(status: status, fields: fields, body: try encoder.encode(json))
    } catch {
      return .response(status: 500, body: "the mock server cannot encode its response: \(error)")
    }
  }

  /// Returns a response with `Transfer-Encoding: chunked`, a chunk for each element, and trailers at the end.
  public static func chunked(
    status: Int = 200, fields: HTTPFields = [:], chunks: [Data], trailers: HTTPFields = [:]
  ) -> MockResponse {
    var framed = Data()
    for chunk in chunks where !chunk.isEmpty { framed += framedChunk(chunk) }
    framed += lastChunk(trailers)
    var response = MockResponse()
    response.status = status
    response.fields = fields
    response.content = .chunked(framed)
    return response
  }

  static func framedChunk(_ chunk: Data) -> Data {
    Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
  }

  static func lastChunk(_ trailers: HTTPFields) -> Data {
    Data("0\r\n".utf8) + trailers.reduce(Data()) { $0 + Data("\($1.name): \($1.value)\r\n".utf8) }
      + Data("\r\n".utf8)
  }

  /// Returns a response with `Transfer-Encoding: chunked` and a chunk for each text.
  public static func chunked(status: Int = 200, fields: HTTPFields = [:], _ chunks: String...) -> MockResponse
  {
    .chunked(status: status, fields: fields, chunks: chunks.map { Data($0.utf8) })
  }

  /// Returns a response that sends the request's body back while it arrives: each piece at once, as a chunk, and the
  /// request's trailers at the end. Use it in a route whose handler is called at the head.
  ///
  /// ```swift
  /// server.on("POST", "/echo", at: .head) { _ in .echo() }
  /// ```
  public static func echo(status: Int = 200, fields: HTTPFields = [:]) -> MockResponse {
    var response = MockResponse()
    response.status = status
    response.fields = fields
    response.content = .echo
    return response
  }

  /// A response with `Transfer-Encoding: chunked` and a chunk whose length is not a number.
  public static var malformedChunk: MockResponse {
    var response = MockResponse()
    response.content = .chunked(Data("5\r\nhello\r\nnonsense\r\nworld\r\n0\r\n\r\n".utf8))
    return response
  }

  /// Returns a redirect to `location`, which becomes the value of `Location`.
  public static func redirect(_ status: Int = 302, to location: String, fields: HTTPFields = [:])
    -> MockResponse
  {
    var fields = fields
    fields["Location"] = location
    return .response(status: status, fields: fields)
  }

  /// Returns a reaction that sends any bytes and then closes the connection.
  public static func raw(_ bytes: Data) -> MockResponse {
    var response = MockResponse()
    response.content = .raw(bytes)
    response.closes = true
    return response
  }

  /// Returns a reaction that sends any text and then closes the connection.
  public static func raw(_ text: String) -> MockResponse { raw(Data(text.utf8)) }

  /// No response, on a connection that stays open until the client closes it.
  public static var stall: MockResponse { response().stalling(at: .start) }

  /// No response, and the server closes the connection.
  public static var close: MockResponse { response().closing(at: .start) }

  /// No response, and the server resets the connection.
  public static var reset: MockResponse { response().resetting(at: .start) }
}

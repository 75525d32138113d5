public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a `MockServer` does with one request: answer it, well or badly, or not at all. A well-formed answer is made
/// first, and then spoiled with `closing(at:)`, `stalling(at:)`, `dripping` and their like.
///
/// ```swift
/// server.on("GET", "/cut") { _ in .answer(body: "hello world").closing(at: .body(5)) }
/// ```
public struct MockAnswer: Sendable {
  /// A place in an answer.
  public enum Point: Sendable, Hashable {
    /// Before the first byte.
    case start
    /// After so many bytes of the head.
    case head(Int)
    /// After the whole head.
    case headEnd
    /// After so many bytes of the body as it goes over the wire, the framing of chunks included.
    case body(Int)
    /// After the last byte.
    case end
  }

  enum Fault: Sendable {
    case close
    case reset
    case stall
    case pause(Duration)
  }

  enum Content: Sendable {
    /// The body, and the length to announce in place of its own; nil announces none.
    case plain(Data, length: Int?)
    /// A body that is framed already.
    case chunked(Data)
    /// All of it, head and body.
    case raw(Data)
  }

  var status = 200
  var fields = HTTPFields()
  var content = Content.plain(Data(), length: 0)
  /// Heads with a status of 1xx, before the answer's own.
  var interims: [Data] = []
  var awaitsBody = false
  var stopsReading = false
  var closes = false
  var faults: [(point: Point, fault: Fault)] = []
  var drip: (bytes: Int, interval: Duration)?

  init() {}

  /// A whole answer. `Content-Length` is added, unless `fields` has it already or the status allows none.
  public static func answer(status: Int = 200, fields: HTTPFields = [:], body: Data) -> MockAnswer {
    var answer = MockAnswer()
    answer.status = status
    answer.fields = fields
    answer.content = .plain(body, length: body.count)
    return answer
  }

  /// A whole answer, with text as its body.
  public static func answer(status: Int = 200, fields: HTTPFields = [:], body: String = "") -> MockAnswer {
    .answer(status: status, fields: fields, body: Data(body.utf8))
  }

  /// An answer with `Transfer-Encoding: chunked`, a chunk for each element, and trailers behind.
  public static func chunked(
    status: Int = 200, fields: HTTPFields = [:], chunks: [Data], trailers: HTTPFields = [:]
  ) -> MockAnswer {
    var framed = Data()
    for chunk in chunks where !chunk.isEmpty {
      framed += Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8)
    }
    framed += Data("0\r\n".utf8)
    for field in trailers { framed += Data("\(field.name): \(field.value)\r\n".utf8) }
    framed += Data("\r\n".utf8)
    var answer = MockAnswer()
    answer.status = status
    answer.fields = fields
    answer.content = .chunked(framed)
    return answer
  }

  /// An answer with `Transfer-Encoding: chunked`, a chunk for each text.
  public static func chunked(status: Int = 200, fields: HTTPFields = [:], _ chunks: String...) -> MockAnswer {
    .chunked(status: status, fields: fields, chunks: chunks.map { Data($0.utf8) })
  }

  /// An answer that says `Transfer-Encoding: chunked`, and whose chunk's length is no number.
  public static var malformedChunk: MockAnswer {
    var answer = MockAnswer()
    answer.content = .chunked(Data("5\r\nhello\r\nnonsense\r\nworld\r\n0\r\n\r\n".utf8))
    return answer
  }

  /// A redirect.
  public static func redirect(_ status: Int = 302, to location: String, fields: HTTPFields = [:])
    -> MockAnswer
  {
    var fields = fields
    fields["Location"] = location
    return .answer(status: status, fields: fields)
  }

  /// Any bytes in the place of an answer. The connection is closed behind them.
  public static func raw(_ bytes: Data) -> MockAnswer {
    var answer = MockAnswer()
    answer.content = .raw(bytes)
    answer.closes = true
    return answer
  }

  /// Any text in the place of an answer. The connection is closed behind it.
  public static func raw(_ text: String) -> MockAnswer { raw(Data(text.utf8)) }

  /// No answer; the connection stays open until the client closes it.
  public static var stall: MockAnswer { answer().stalling(at: .start) }

  /// No answer; the connection is closed.
  public static var close: MockAnswer { answer().closing(at: .start) }

  /// No answer; the connection is reset.
  public static var reset: MockAnswer { answer().resetting(at: .start) }
}

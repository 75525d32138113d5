import ErrandTesting
import Foundation
import Testing

@testable import ErrandStreaming

/// Expectations are from WHATWG's HTML standard, section 9.2.6.
@Suite struct EventParserTests {
  /// Parses the text whole, byte by byte and in random pieces, which must not make a difference.
  private static func parse(_ bytes: Data, limit: Int = 1000, lastID: String = "") throws -> (
    events: [ServerSentEvent], parser: EventParser
  ) {
    var random = SeededRandom(seed: 3)
    var results: [[ServerSentEvent]] = []
    var parser = EventParser(lastID: lastID, limit: limit)
    for largest in [bytes.count + 1, 1, 2, 3, 7] {
      parser = EventParser(lastID: lastID, limit: limit)
      var (events, rest): ([ServerSentEvent], Data) = ([], bytes)
      while !rest.isEmpty {
        let size = largest < 3 ? largest : Int.random(in: 1...largest, using: &random)
        try parser.read(rest.prefix(size), into: &events)
        rest = rest.dropFirst(size)
      }
      results.append(events)
    }
    #expect(results.allSatisfy { $0 == results[0] })
    return (results[0], parser)
  }

  private func events(_ text: String) throws -> [ServerSentEvent] { try Self.parse(Data(text.utf8)).events }

  private func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEvent {
    ServerSentEvent(type: type, data: data, id: id)
  }

  @Test(arguments: ["\n", "\r", "\r\n"]) func `lines end with LF, CR or CRLF`(end: String) throws {
    let text = ["data: one", "data: two", "", "event: add", "data:three", "", ""].joined(separator: end)
    #expect(try events(text) == [event("one\ntwo"), event("three", "add")])
  }

  @Test func `line ends may be mixed`() throws {
    #expect(try events("data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r") == [event("a\nb\nc"), event("d")])
    // CR CR LF are two line ends, so the event ends with the second.
    #expect(try events("data: a\r\r\ndata: b\r\n\r\n") == [event("a"), event("b")])
  }

  /// The examples of the standard.
  @Test func `one blank is removed after the colon, and a field without a colon has no value`() throws {
    #expect(try events("data: YHOO\ndata: +2\ndata: 10\n\n") == [event("YHOO\n+2\n10")])
    #expect(try events("data\n\ndata\ndata\n\ndata:\n") == [event(""), event("\n")])
    #expect(
      try events("data:test\n\ndata: test\n\ndata:  test\n\n") == [
        event("test"), event("test"), event(" test"),
      ])
    #expect(
      try events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n")
        == [event("first event", id: "1"), event("second event")])
  }

  @Test func `comments, unknown fields and fields with other names are ignored`() throws {
    #expect(try events(":comment\ndata: a\n: data: b\nDATA: c\n data: d\nfoo: e\nfoo\n\n") == [event("a")])
  }

  @Test func `an event without data is dropped, and its type and id are not lost to the next`() throws {
    #expect(try events("event: a\nid: 7\n\ndata: x\n\n") == [event("x", id: "7")])
    #expect(try events("\n\n\nevent: a\n\n") == [])
    #expect(try events("event:\ndata: x\n\n") == [event("x")])
  }

  @Test func `an event that is not complete is dropped, with its id`() throws {
    let (events, parser) = try Self.parse(Data("id: 1\ndata: a\n\nid: 2\ndata: b\n".utf8))
    #expect(events == [event("a", id: "1")] && parser.lastID == "1")
  }

  @Test func `a byte order mark is ignored at the beginning only`() throws {
    let mark = Data([0xEF, 0xBB, 0xBF])
    #expect(try Self.parse(mark + Data("data: a\n\n".utf8)).events == [event("a")])
    #expect(try Self.parse(mark + mark + Data("data: a\n\ndata: b\n\n".utf8)).events == [event("b")])
    #expect(try Self.parse(Data("\n".utf8) + mark + Data("data: a\n\n".utf8)).events == [])
  }

  @Test func `an id with NUL is ignored, and an empty one resets it`() throws {
    #expect(
      try events("id: 1\ndata: a\n\nid: 2\u{0}\ndata: b\n\n") == [event("a", id: "1"), event("b", id: "1")])
    #expect(try events("id: 1\ndata: a\n\nid\ndata: b\n\n") == [event("a", id: "1"), event("b")])
  }

  @Test func `the id of the connection before is kept`() throws {
    let (events, parser) = try Self.parse(Data("data: a\n\n".utf8), lastID: "9")
    #expect(events == [event("a", id: "9")] && parser.lastID == "9")
  }

  @Test(
    arguments: [
      ("1500", 1500), ("0", 0), ("007", 7), ("99999999999999999999999", 1 << 40), ("", nil), ("1.5", nil),
      ("-1", nil),
      ("1 ", nil), ("x", nil), ("\u{661}", nil),
    ] as [(String, Int64?)])
  func `only digits set the time before a reconnection`(text: String, time: Int64?) throws {
    #expect(try Self.parse(Data("retry: \(text)\n".utf8)).parser.retry == time)
    #expect(try Self.parse(Data("retry: 3\nretry: \(text)\n".utf8)).parser.retry == time ?? 3)
  }

  @Test func `invalid UTF-8 is replaced`() throws {
    let bytes = Data("data: a".utf8) + [0xFF, 0xC3] + Data("b\n\ndata: ü\n\n".utf8)
    #expect(try Self.parse(bytes).events.map(\.data) == ["a\u{FFFD}\u{FFFD}b", "ü"])
  }

  @Test func `lines and events are limited`() throws {
    #expect(try Self.parse(Data("data: 4567\n\n".utf8), limit: 10).events == [event("4567")])
    for text in [
      "data: 45678\n", "data: 45678", ":2345678901", "data: 1\ndata: 2\ndata: 3\ndata: 4\ndata: 5\ndata\n",
    ] {
      #expect(throws: LineSplitter.TooLong.self) { try Self.parse(Data(text.utf8), limit: 10) }
    }
    // Comments and completed events do not count.
    #expect(
      try Self.parse(Data(String(repeating: ":\ndata: 4\n\n", count: 100).utf8), limit: 10).events.count
        == 100)
  }

  /// A model that reads the whole text at once, by the standard's own steps.
  private static func model(_ text: String) -> [ServerSentEvent] {
    var (events, type, data, id): ([ServerSentEvent], String, String, String) = ([], "", "", "")
    let text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.isEmpty {
        if !data.isEmpty {
          events.append(
            ServerSentEvent(type: type.isEmpty ? "message" : type, data: String(data.dropLast()), id: id))
        }
        (type, data) = ("", "")
        continue
      }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let value = parts.count == 1 ? "" : parts[1].hasPrefix(" ") ? String(parts[1].dropFirst()) : parts[1]
      switch parts[0] {
      case "data": data += value + "\n"
      case "event": type = value
      case "id" where !value.contains("\u{0}"): id = value
      default: break
      }
    }
    return events
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func `random streams are read as the standard says`(seed: UInt64)
    throws
  {
    var random = SeededRandom(seed: seed)
    let words = [
      "data", "event", "id", "retry", ":", ":", " ", "\n", "\n", "\n", "\r", "\r\n", "a", "bc", "ü", "\u{0}",
      "data: x\n",
      "\n\n",
    ]
    let text = (0..<200).map { _ in words.randomElement(using: &random) ?? "" }.joined()
    // The whole text ends at a line end, so that the model need not know about the rest. Swift sees CRLF as one
    // character, so the text is compared by scalars.
    let scalars = String(String.UnicodeScalarView(text.unicodeScalars + "\n".unicodeScalars))
    #expect(try Self.parse(Data(scalars.utf8), limit: 10_000).events == Self.byScalars(scalars))
  }

  private static func byScalars(_ text: String) -> [ServerSentEvent] {
    var lines: [String] = []
    var (line, wasReturn) = ("", false)
    for scalar in text.unicodeScalars {
      if scalar == "\n", wasReturn {
        wasReturn = false
        continue
      }
      wasReturn = scalar == "\r"
      if scalar == "\n" || scalar == "\r" {
        lines.append(line)
        line = ""
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return model(lines.map { $0 + "\n" }.joined())
  }

  /// A quadratic reader would need minutes.
  @Test func `a long line in many pieces takes time in proportion to its length`() throws {
    var parser = EventParser(lastID: "", limit: 64 << 20)
    var events: [ServerSentEvent] = []
    try parser.read(Data("data: ".utf8), into: &events)
    let piece = Data(repeating: UInt8(ascii: "x"), count: 512)
    for _ in 0..<65_536 { try parser.read(piece, into: &events) }
    try parser.read(Data("\n\n".utf8), into: &events)
    #expect(events.map(\.data.utf8.count) == [32 << 20])
  }
}

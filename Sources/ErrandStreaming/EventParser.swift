#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the events of one event stream from its bytes, as WHATWG's HTML standard says. Pure. An event that the stream
/// does not complete is dropped.
struct EventParser: Sendable {
  /// The last id, of the events that are complete. An event without an id has the one before it, also after a
  /// reconnection.
  private(set) var lastID: String
  /// The last id that a header field can have. The server continues there.
  private(set) var sendableID: String
  /// The time to wait before a reconnection, in milliseconds, as the stream wants it; nil if it has not said so.
  private(set) var retry: Int64?

  private let limit: Int
  private var lines: LineSplitter
  private var isFirst = true
  private var type = ""
  private var data = Data()
  private var id: String

  /// - Parameters:
  ///   - lastID: The last id of the connection before this one.
  ///   - limit: The maximum length of a line, and of the data of an event, in bytes.
  init(lastID: String, limit: Int) {
    (self.lastID, id) = (lastID, lastID)
    sendableID = lastID
    self.limit = limit
    lines = LineSplitter(limit: limit)
  }

  /// Drops an event that is not complete, and begins with the bytes of the next connection.
  mutating func reconnect() {
    let sendableID = sendableID
    self = EventParser(lastID: lastID, limit: limit)
    self.sendableID = sendableID
  }

  /// Reads further bytes, and adds the events that they complete.
  /// - Throws: `LineSplitter.TooLong`, if a line or an event exceeds the limit.
  mutating func read(_ bytes: Data, into events: inout [ServerSentEvent]) throws {
    // Moved, not copied: a copy would copy the partial line again with each chunk.
    var lines = LineSplitter(limit: limit)
    swap(&lines, &self.lines)
    defer { self.lines = lines }
    try lines.split(bytes) { line in try read(line: line, into: &events) }
  }

  private mutating func read(line: Data, into events: inout [ServerSentEvent]) throws {
    var line = line
    if isFirst {
      isFirst = false
      line = line.withoutByteOrderMark
    }
    guard !line.isEmpty else { return dispatch(into: &events) }
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    if colon == line.startIndex { return }
    var value = colon.map { line[($0 + 1)...] } ?? Data()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self) {
    case "data":
      guard value.count < limit - data.count else { throw LineSplitter.TooLong(limit: limit) }
      data.append(value)
      data.append(UInt8(ascii: "\n"))
    case "event": type = String(decoding: value, as: UTF8.self)
    case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      guard !value.isEmpty, value.allSatisfy({ 48...57 ~= $0 }) else { return }
      retry = value.reduce(Int64(0)) { min($0 * 10 + Int64($1 - 48), 1 << 40) }
    default: break
    }
  }

  private mutating func dispatch(into events: inout [ServerSentEvent]) {
    lastID = id
    if Self.canBeSent(id) { sendableID = id }
    defer { (type, data) = ("", Data()) }
    guard !data.isEmpty else { return }
    events.append(
      ServerSentEvent(
        type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
        id: lastID))
  }

  /// Servers refuse larger heads than a few KiB.
  private static let longestSent = 4 << 10

  private static func canBeSent(_ id: String) -> Bool {
    id.utf8.count <= longestSent
      && !id.utf8.contains { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7F }
  }
}

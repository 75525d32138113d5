import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A HAR file to which entries are added, one line each. It is complete after each entry, because the closing
/// brackets are written with every entry, and overwritten by the next.
package struct HARFile: Sendable {
  private static let trailer = Data("\n]}}\n".utf8)
  private static let separator = Data(",\n".utf8)

  /// Returns a complete file with these entries.
  package static func whole(_ entries: [HAREntry]) -> Data {
    let header = header(began: entries.first?.startedDateTime ?? HAREntry.text(Date()))
    var file = header
    for line in entries.lazy.compactMap({ try? $0.line() }) {
      if file.count > header.count { file += separator }
      file += line
    }
    return file + trailer
  }

  private let descriptor: FileDescriptor
  /// The offset after the last entry.
  private var end: Int64
  private var isEmpty: Bool
  /// True if bytes of an entry that could not be written may be behind the end of the file's text.
  private var isTorn = false

  /// Opens a file, and locks it against other recorders.
  /// - Parameter appends: True to add entries to the existing ones. A part of an entry, which a killed
  ///   process may have left, is removed.
  /// - Throws: `FileError`, if another recorder writes the file, or if Errand did not write it or not in this
  ///   layout.
  init(_ path: String, appends: Bool) throws {
    descriptor = try RecordingFile.open(path, "a HAR file", isOwn: Self.isOwn)
    if appends, let (end, isEmpty) = try Self.entriesEnd(in: FileDescriptor(reading: path), path) {
      (self.end, self.isEmpty) = (end, isEmpty)
    } else {
      let header = Self.header(began: HAREntry.text(Date()))
      try descriptor.truncate(to: 0)
      try descriptor.write(header, at: 0)
      (end, isEmpty) = (Int64(header.count), true)
    }
    try descriptor.write(Self.trailer, at: end)
    try endFile(at: end)
  }

  /// The beginning of each file that Errand writes.
  private static let beginning = Data(#"{"log":{"version":"1.2","creator":{"name":"Errand","#.utf8)

  /// Returns true for a file that begins as Errand's files do. A killed process may have left only a part of
  /// that beginning.
  private static func isOwn(_ head: Data) -> Bool {
    head.starts(with: beginning) || (head.count >= 8 && beginning.starts(with: head))
  }

  /// The first line. It has one page, to which all entries belong, because Safari opens no file without a page.
  private static func header(began: String) -> Data {
    headerBeforeDate + Data(#"\#(began)"}],"entries":["#.utf8) + Data("\n".utf8)
  }

  private static var headerBeforeDate: Data {
    let page = #"{"id":"\#(HAREntry.page)","title":"Errand","pageTimings":{},"startedDateTime":""#
    return beginning + Data(#""version":"\#(ErrandVersion.current)"},"pages":[\#(page)"#.utf8)
  }

  /// Returns true for a part of the first line, which a killed process may have left.
  private static func isPartOfHeader(_ head: Data) -> Bool {
    let fixed = headerBeforeDate
    return fixed.starts(with: head)
      || (head.starts(with: fixed) && head.count < header(began: HAREntry.text(Date())).count)
  }

  /// Writes an entry, which is one line, with one system call. If the disk is full, the file stays as it was.
  mutating func append(_ entry: Data) throws {
    let text = isEmpty ? entry : Self.separator + entry
    let next = end + Int64(text.count)
    do {
      try descriptor.write(text + Self.trailer, at: end)
      if isTorn { try endFile(at: next) }
      isTorn = false
    } catch {
      isTorn = true
      // A full disk has room for these bytes, because the file had them.
      try? descriptor.write(Self.trailer, at: end)
      try? endFile(at: end)
      throw error
    }
    end = next
    isEmpty = false
  }

  /// Ends the file after the brackets that follow its last entry.
  private func endFile(at end: Int64) throws {
    try descriptor.truncate(to: end + Int64(Self.trailer.count))
  }

  /// Returns the offset after the last complete entry of a file, and whether the file has no entries; nil if
  /// its first line is incomplete.
  /// - Throws: `FileError`, if another program has written the lines in another layout.
  private static func entriesEnd(in file: FileDescriptor, _ path: String) throws -> (
    Int64, isEmpty: Bool
  )? {
    let (head, length) = (try file.read(512, at: 0), try file.length())
    guard let first = head.firstIndex(of: 10) else {
      if isPartOfHeader(head) { return nil }
      throw otherLayout(path)
    }
    let entries = Int64(first + 1)
    // Only the last line can be a part of an entry, so only it is decoded, and the first one because of its layout.
    var last: [(line: Data, start: Int64)] = []
    var (start, line, searched) = (entries, Data(), 0)
    reading: while true {
      let piece = try file.read(1 << 20, at: start + Int64(line.count))
      if piece.isEmpty { break }
      line.append(piece)
      var from = line.startIndex
      while let newline = line[(from + searched)...].firstIndex(of: 10) {
        let content = line[from..<newline]
        guard Self.mayBeEntry(content, isFirst: last.isEmpty) else {
          // The file's closing brackets, or a part of an entry that a killed process has left.
          let behind = length - start - Int64(content.count + 1)
          guard content == Data("]}}".utf8) || behind < Int64(trailer.count) else { throw otherLayout(path) }
          break reading
        }
        if last.count == 2 { last.removeFirst() }
        last.append((Data(content), start))
        start += Int64(content.count + 1)
        (from, searched) = (newline + 1, 0)
      }
      line = Data(line[from...])
      searched = line.count
    }
    while let (content, start) = last.popLast() {
      if let length = Self.entry(content) { return (start + Int64(length), false) }
    }
    return (entries, true)
  }

  private static func otherLayout(_ path: String) -> FileError {
    FileError(
      .write, path,
      "another program has changed the layout of its lines, so no entries can be added; choose another file"
    )
  }

  /// Returns true if a line looks like an entry. The first one is decoded.
  private static func mayBeEntry(_ line: Data, isFirst: Bool) -> Bool {
    if isFirst { return entry(line) != nil }
    let end = line.last == UInt8(ascii: ",") ? line.dropLast().last : line.last
    return line.first == UInt8(ascii: "{") && end == UInt8(ascii: "}")
  }

  /// Returns the length of the entry on a line, without the comma after it; nil if the line is not an entry.
  private static func entry(_ line: Data) -> Int? {
    let entry = line.last == UInt8(ascii: ",") ? line.dropLast() : line
    guard entry.first == UInt8(ascii: "{"), (try? JSONDecoder().decode(Start.self, from: entry)) != nil else {
      return nil
    }
    return entry.count
  }

  /// The part of an entry that identifies it. The decoder still reads the whole line.
  private struct Start: Decodable {
    let startedDateTime: String
  }
}

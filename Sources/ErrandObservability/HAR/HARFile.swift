import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A HAR file that grows by entries, one line each, and is whole after each of them: the end of the file is
/// written with every entry, and overwritten by the next.
package struct HARFile: Sendable {
  private static let trailer = Data("\n]}}\n".utf8)
  private static let separator = Data(",\n".utf8)

  /// Returns a whole file with these entries.
  package static func whole(_ entries: [HAREntry]) -> Data {
    var file = header
    for line in entries.lazy.compactMap({ try? $0.line() }) {
      if file.count > header.count { file += separator }
      file += line
    }
    return file + trailer
  }

  private let descriptor: FileDescriptor
  /// The place after the last entry.
  private var end: Int64
  private var isEmpty: Bool

  /// Opens a file, which no other recorder can write until it is closed.
  /// - Parameter appends: True to add to the entries that the file has. The part of an entry that a killed process has
  ///   left is removed.
  /// - Throws: `FileError`, if another recorder writes it, or if it is a file that Errand did not write, or not in this way.
  init(_ path: String, appends: Bool) throws {
    descriptor = try RecordingFile.open(path, "a HAR file", isOwn: Self.isOwn)
    if appends, let (end, isEmpty) = try Self.entriesEnd(in: FileDescriptor(reading: path), path) {
      (self.end, self.isEmpty) = (end, isEmpty)
    } else {
      let header = Self.header
      try descriptor.truncate(to: 0)
      try descriptor.write(header, at: 0)
      (end, isEmpty) = (Int64(header.count), true)
    }
    try descriptor.write(Self.trailer, at: end)
    try descriptor.truncate(to: end + Int64(Self.trailer.count))
  }

  /// The beginning of each file that Errand writes.
  private static let beginning = Data(#"{"log":{"version":"1.2","creator":{"name":"Errand","#.utf8)

  /// Returns true for a file that begins as Errand's do, or that ends within that beginning, as a killed process may have
  /// left it.
  private static func isOwn(_ head: Data) -> Bool {
    head.starts(with: beginning) || (head.count >= 8 && beginning.starts(with: head))
  }

  private static var header: Data {
    beginning + Data(#""version":"\#(ErrandVersion.current)"},"entries":["#.utf8) + Data("\n".utf8)
  }

  /// Writes an entry, which is one line, with one call to the system.
  mutating func append(_ entry: Data) throws {
    let text = isEmpty ? entry : Self.separator + entry
    try descriptor.write(text + Self.trailer, at: end)
    end += Int64(text.count)
    isEmpty = false
  }

  /// Returns the place after the last whole entry of a file, and whether it has no entry; nil if its first line was cut.
  /// - Throws: `FileError`, if the lines are not as Errand writes them: another program has laid the file out.
  private static func entriesEnd(in file: FileDescriptor, _ path: String) throws -> (
    Int64, isEmpty: Bool
  )? {
    let (head, length) = (try file.read(512, at: 0), try file.length())
    guard let first = head.firstIndex(of: 10) else {
      if header.starts(with: head) { return nil }
      throw otherLayout(path)
    }
    var (start, end, isEmpty) = (Int64(first + 1), Int64(first + 1), true)
    var line = Data()
    while true {
      let piece = try file.read(64 << 10, at: start + Int64(line.count))
      if piece.isEmpty { return (end, isEmpty) }
      line.append(piece)
      while let newline = line.firstIndex(of: 10) {
        let content = line[line.startIndex..<newline]
        guard let entry = Self.entry(content) else {
          // The end of the file, or the rest of an entry that a killed process has left.
          let behind = length - start - Int64(content.count + 1)
          guard content == Data("]}}".utf8) || behind < Int64(trailer.count) else { throw otherLayout(path) }
          return (end, isEmpty)
        }
        (end, isEmpty) = (start + Int64(entry), false)
        start += Int64(content.count + 1)
        line = Data(line[(newline + 1)...])
      }
    }
  }

  private static func otherLayout(_ path: String) -> FileError {
    FileError(
      .write, path,
      "another program has changed how its lines are laid out, so that nothing can be added: choose another file"
    )
  }

  /// Returns the length of the entry on a line, without the comma after it; nil if it is none.
  private static func entry(_ line: Data) -> Int? {
    let entry = line.last == UInt8(ascii: ",") ? line.dropLast() : line
    guard entry.first == UInt8(ascii: "{"), (try? JSONDecoder().decode(Start.self, from: entry)) != nil else {
      return nil
    }
    return entry.count
  }

  /// Enough of an entry to tell that it is one; the decoder reads the whole line for it.
  private struct Start: Decodable {
    let startedDateTime: String
  }
}

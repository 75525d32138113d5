import CZlib
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of requests and the responses to them. Short ones are in the row of the request. Long ones
/// are in separate tables, so that a change of state does not write them again. SQLite does not notice a
/// flipped bit in a content, so the row has a checksum of it.
extension OutboxTables {
  enum Content {
    case whole(Data)
    /// The bytes differ from those that were stored.
    case damaged
    case none
  }

  /// The most bytes of a content or response in its row. A row should fit on one page of the file, and most
  /// pages should hold several rows.
  private static let mostInRow = 1000

  private static let insert = Query("INSERT INTO contents(seq, content) VALUES (?, ?)")
  private static let select = Query("SELECT content FROM contents WHERE seq = ?")
  private static let delete = Query("DELETE FROM contents WHERE seq = ?")
  private static let contentOf = Query("SELECT seq, checksum, content FROM requests WHERE id = ?")
  private static let insertResponse = Query("INSERT OR REPLACE INTO responses(seq, response) VALUES (?, ?)")
  private static let deleteResponse = Query("DELETE FROM responses WHERE seq = ?")
  private static let insertFile = Query("INSERT INTO files(name, seq) VALUES (?, ?)")
  private static let selectFiles = Query("SELECT name FROM files WHERE seq = ? ORDER BY name")
  private static let deleteFiles = Query("DELETE FROM files WHERE seq = ?")
  private static let isUsed = Query("SELECT 1 FROM files WHERE name = ?")

  static func isShort(_ data: Data) -> Bool { data.count <= mostInRow }

  func store(_ content: Data, of sequence: Int64) throws {
    try database.run(Self.insert, [.integer(sequence)], bytes: content)
  }

  func store(_ file: String, of sequence: Int64) throws {
    try database.run(Self.insertFile, [.text(file), .integer(sequence)])
  }

  /// Reads a row's content and compares it with its checksum.
  /// - Parameter column: The statement's column with the checksum; the next column is the content in the row.
  func content(of sequence: Int64, _ statement: Statement, at column: Int32) throws -> Content {
    guard let checksum = statement.optionalInteger(column) else { return .none }
    var content = statement.bytes(column + 1)
    if content == nil {
      content = try database.first(Self.select, [.integer(sequence)]) { $0.bytes(0) } ?? nil
    }
    guard let content else { return .none }
    return Self.checksum(of: content) == checksum ? .whole(content) : .damaged
  }

  func contents(of ids: [OutboxID]) throws -> [Data?] {
    try ids.map { id in
      switch try database.first(Self.contentOf, [.id(id)], { try content(of: $0.integer(0), $0, at: 1) }) {
      case .whole(let content): return content
      case .damaged:
        throw OutboxError.damaged(
          database.path, "the content of request \(id) has changed since it was stored")
      case Content.none?, nil: return nil
      }
    }
  }

  /// Removes the content that is stored outside the row.
  func removeContent(_ sequence: Int64) throws { try database.run(Self.delete, [.integer(sequence)]) }

  /// Removes the file names of a request.
  /// - Returns: The names of the request's files.
  func removeFiles(_ sequence: Int64) throws -> [String] {
    let files = try database.all(Self.selectFiles, [.integer(sequence)]) { $0.text(0) ?? "" }
    if !files.isEmpty { try database.run(Self.deleteFiles, [.integer(sequence)]) }
    return files
  }

  /// Stores a response that does not fit in the row.
  func store(response: Data, of sequence: Int64) throws {
    try database.run(Self.insertResponse, [.integer(sequence)], bytes: response)
  }

  /// Removes the response that is stored outside the row.
  func removeResponse(_ sequence: Int64) throws {
    try database.run(Self.deleteResponse, [.integer(sequence)])
  }

  /// Removes the content, the response and the file names that are stored outside the row.
  /// - Returns: The names of the request's files.
  func removeParts(_ sequence: Int64) throws -> [String] {
    try removeResponse(sequence)
    try removeContent(sequence)
    return try removeFiles(sequence)
  }

  func used(_ files: [String]) throws -> Set<String> {
    Set(try files.filter { try database.exists(Self.isUsed, [.text($0)]) })
  }

  static func checksum(of content: Data) -> Int64 {
    content.withUnsafeBytes { bytes in
      var sum = crc32(0, nil, 0)
      var rest = bytes
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
        sum = crc32(sum, piece.baseAddress?.assumingMemoryBound(to: Bytef.self), UInt32(piece.count))
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      }
      return Int64(sum)
    }
  }
}

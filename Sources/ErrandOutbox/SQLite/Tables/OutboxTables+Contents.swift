import CZlib

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What requests consist of. SQLite does not notice a flipped bit in it, so a checksum lies beside it.
extension OutboxTables {
  enum Content {
    case whole(Data)
    /// It is not what was stored.
    case damaged
    case none
  }

  private static let insert = Query("INSERT INTO contents(seq, checksum, content) VALUES (?, ?, ?)")
  private static let select = Query("SELECT checksum, content FROM contents WHERE seq = ?")
  private static let delete = Query("DELETE FROM contents WHERE seq = ?")
  private static let sequenceOf = Query("SELECT seq FROM requests WHERE id = ?")
  private static let insertFile = Query("INSERT INTO files(name, seq) VALUES (?, ?)")
  private static let selectFiles = Query("SELECT name FROM files WHERE seq = ? ORDER BY name")
  private static let deleteFiles = Query("DELETE FROM files WHERE seq = ?")
  private static let isUsed = Query("SELECT 1 FROM files WHERE name = ?")

  func store(_ row: NewRow, as sequence: Int64) throws {
    try database.run(
      Self.insert, [.integer(sequence), .integer(Self.checksum(of: row.content))], bytes: row.content)
    for file in row.files { try database.run(Self.insertFile, [.text(file), .integer(sequence)]) }
  }

  func content(_ sequence: Int64) throws -> Content {
    try database.first(Self.select, [.integer(sequence)]) { statement in
      let content = statement.bytes(1) ?? Data()
      return Self.checksum(of: content) == statement.integer(0) ? .whole(content) : .damaged
    } ?? .none
  }

  func contents(of ids: [OutboxID]) throws -> [Data?] {
    try ids.map { id in
      guard let sequence = try database.integer(Self.sequenceOf, [.id(id)]) else { return nil }
      switch try content(sequence) {
      case .whole(let content): return content
      case .damaged:
        throw OutboxError.damaged(database.path, "the content of request \(id) is not what was stored")
      case .none: return nil
      }
    }
  }

  /// Removes what a request consists of.
  /// - Returns: Its files.
  func removeContent(_ sequence: Int64) throws -> [String] {
    try database.run(Self.delete, [.integer(sequence)])
    let files = try database.all(Self.selectFiles, [.integer(sequence)]) { $0.text(0) ?? "" }
    if !files.isEmpty { try database.run(Self.deleteFiles, [.integer(sequence)]) }
    return files
  }

  func used(_ files: [String]) throws -> Set<String> {
    Set(try files.filter { try database.exists(Self.isUsed, [.text($0)]) })
  }

  private static func checksum(of content: Data) -> Int64 {
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

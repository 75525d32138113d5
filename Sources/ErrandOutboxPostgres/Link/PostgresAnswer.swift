#if Postgres
  import CPostgres

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The rows that a statement returned, in PostgreSQL's binary form.
  final class PostgresAnswer: Sendable {
    // Safe to share: libpq does not change a result that it has returned, and only `deinit` frees it.
    nonisolated(unsafe) private let result: OpaquePointer

    /// Takes over the result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    /// Reads all rows.
    func rows<Value>(_ read: (Row) throws -> Value) rethrows -> [Value] {
      try (0..<count).map { try read(Row(answer: self, index: Int32($0))) }
    }

    var first: Row? { count > 0 ? Row(answer: self, index: 0) : nil }

    /// One row. Columns are read by their index.
    struct Row {
      fileprivate let answer: PostgresAnswer
      fileprivate let index: Int32

      func isNull(_ column: Int32) -> Bool { PQgetisnull(answer.result, index, column) != 0 }

      /// Returns the bytes of a column; empty for null.
      private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        guard !isNull(column), let start = PQgetvalue(answer.result, index, column) else {
          return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(answer.result, index, column)))
      }

      /// Returns an integer of any size, or a boolean; 0 for null.
      func integer(_ column: Int32) -> Int64 {
        let bytes = bytes(column)
        guard let first = bytes.first, bytes.count <= 8 else { return 0 }
        var value: Int64 = first & 0x80 != 0 && bytes.count > 1 ? -1 : 0
        for byte in bytes { value = value << 8 | Int64(byte) }
        return value
      }

      func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

      func bool(_ column: Int32) -> Bool { integer(column) != 0 }

      func text(_ column: Int32) -> String? {
        isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
      }

      func data(_ column: Int32) -> Data? { isNull(column) ? nil : Data(bytes(column)) }

      /// Returns the texts of an array; empty for null.
      func texts(_ column: Int32) -> [String] { elements(column).map { String(decoding: $0, as: UTF8.self) } }

      /// Returns the elements of an array of one dimension that are not null.
      private func elements(_ column: Int32) -> [UnsafeRawBufferPointer] {
        let bytes = bytes(column)
        guard bytes.count >= 20 else { return [] }
        func number(at offset: Int) -> Int {
          Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        var (offset, elements) = (20, [UnsafeRawBufferPointer]())
        for _ in 0..<max(0, number(at: 12)) where offset + 4 <= bytes.count {
          let length = number(at: offset)
          offset += 4
          guard length >= 0 else { continue }
          guard offset + length <= bytes.count else { break }
          elements.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
          offset += length
        }
        return elements
      }
    }
  }
#endif

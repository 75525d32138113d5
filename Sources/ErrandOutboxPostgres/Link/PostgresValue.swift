#if Postgres
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A parameter of a statement, which is sent in PostgreSQL's binary form, with its type.
  enum PostgresValue: Sendable {
    case null(PostgresType)
    case integer(Int64)
    case text(String)
    case bytes(Data)
    case bool(Bool)
    case integers([Int64?])
    case texts([String?])
    case blobs([Data?])
    /// A value that is computed each time the statement is sent.
    case later(PostgresType, @Sendable () -> PostgresValue)

    static func optional(_ value: Int64?) -> PostgresValue { value.map { .integer($0) } ?? .null(.integer) }
    static func optional(_ value: String?) -> PostgresValue { value.map { .text($0) } ?? .null(.text) }
    static func optional(_ value: [Int64]?) -> PostgresValue {
      value.map { .integers($0) } ?? .null(.integers)
    }
    static func optional(_ value: [String]?) -> PostgresValue { value.map { .texts($0) } ?? .null(.texts) }

    var type: PostgresType {
      switch self {
      case .null(let type): type
      case .integer: .integer
      case .text: .text
      case .bytes: .bytes
      case .bool: .bool
      case .integers: .integers
      case .texts: .texts
      case .blobs: .blobs
      case .later(let type, _): type
      }
    }

    /// The value's bytes; nil for null.
    var encoded: [UInt8]? {
      switch self {
      case .null: nil
      case .integer(let value): Self.big(value)
      case .text(let text): Array(text.utf8)
      case .bytes(let data): Array(data)
      case .bool(let value): [value ? 1 : 0]
      case .integers(let values): Self.array(values, of: .integer, Self.big)
      case .texts(let values): Self.array(values, of: .text) { Array($0.utf8) }
      case .blobs(let values): Self.array(values, of: .bytes) { Array($0) }
      case .later(_, let value): value().encoded
      }
    }

    private static func big(_ value: Int64) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func big(_ value: Int32) -> [UInt8] {
      withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// The form of an array of one dimension: the number of dimensions, whether it has nulls, the type of its
    /// elements, their number, the first index, and for each element its length (-1 for null) and its bytes.
    private static func array<Element>(
      _ values: [Element?], of type: PostgresType, _ encode: (Element) -> [UInt8]
    ) -> [UInt8] {
      guard !values.isEmpty else { return big(Int32(0)) + big(Int32(0)) + big(Int32(type.rawValue)) }
      var bytes = big(Int32(1)) + big(Int32(values.contains { $0 == nil } ? 1 : 0))
      bytes += big(Int32(type.rawValue)) + big(Int32(values.count)) + big(Int32(1))
      for value in values {
        guard let value else {
          bytes += big(Int32(-1))
          continue
        }
        let element = encode(value)
        bytes += big(Int32(element.count))
        bytes += element
      }
      return bytes
    }
  }

  /// The types of parameters, with PostgreSQL's numbers for them.
  enum PostgresType: UInt32, Sendable {
    case bool = 16
    case bytes = 17
    case integer = 20
    case text = 25
    case blobs = 1001
    case texts = 1009
    case integers = 1016
  }

  /// A statement with its parameters.
  struct PostgresQuery: Sendable {
    var sql: String
    var values: [PostgresValue]
    /// True if the statement may be sent again when its outcome is unknown because the connection ended.
    var isRepeatable: Bool

    init(_ sql: String, _ values: [PostgresValue] = [], isRepeatable: Bool = false) {
      self.sql = sql
      self.values = values
      self.isRepeatable = isRepeatable
    }
  }
#endif

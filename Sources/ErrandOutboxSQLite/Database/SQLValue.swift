import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value for a parameter of a statement.
enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case bytes(Data)

  static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 as Int64 : 0) }
  static func state(_ value: OutboxState) -> SQLValue { .integer(value.rawValue) }
  static func id(_ value: OutboxID) -> SQLValue { .text(value.rawValue) }
  static func optional(_ value: String?) -> SQLValue { value.map(SQLValue.text) ?? .null }
  static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
}

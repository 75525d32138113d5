/// Values that are inserted, found and removed by a token, each in O(1) and without hashing. A token becomes
/// invalid when its value is removed, even if its place is used again.
package struct Slab<Value> {
  package struct Token: Sendable, Hashable {
    fileprivate let index: Int
    fileprivate let serial: UInt64
  }

  fileprivate enum Cell {
    case taken(Value, serial: UInt64)
    case free(next: Int)
  }

  /// The capacity above which an empty slab releases its memory.
  private static var keptCapacity: Int { 1024 }

  private var cells: [Cell] = []
  private var firstFree = -1
  private var lastSerial: UInt64 = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func insert(_ value: Value) -> Token {
    count += 1
    lastSerial += 1
    guard firstFree >= 0, case .free(let next) = cells[firstFree] else {
      cells.append(.taken(value, serial: lastSerial))
      return Token(index: cells.count - 1, serial: lastSerial)
    }
    let index = firstFree
    cells[index] = .taken(value, serial: lastSerial)
    firstFree = next
    return Token(index: index, serial: lastSerial)
  }

  @discardableResult
  package mutating func remove(_ token: Token) -> Value? {
    guard let value = self[token] else { return nil }
    if count == 1, cells.count > Self.keptCapacity {
      removeAll()
    } else {
      count -= 1
      cells[token.index] = .free(next: firstFree)
      firstFree = token.index
    }
    return value
  }

  /// Removes all values, and releases the memory.
  package mutating func removeAll() {
    cells = []
    firstFree = -1
    count = 0
  }

  /// The value of a token, or nil if it was removed. Setting it then does nothing.
  package subscript(_ token: Token) -> Value? {
    get {
      guard token.index < cells.count, case .taken(let value, token.serial) = cells[token.index] else {
        return nil
      }
      return value
    }
    set {
      guard let newValue, self[token] != nil else { return }
      cells[token.index] = .taken(newValue, serial: token.serial)
    }
  }

  /// The value, if it is the only one.
  package var only: Value? {
    guard count == 1 else { return nil }
    for case .taken(let value, _) in cells { return value }
    return nil
  }

  /// The values in the reverse order of their insertion.
  package var newestFirst: [Value] {
    // Usually no place was used twice; then the values are in order already, and sorting is one pass.
    let taken = cells.reversed().compactMap { cell in
      if case .taken(let value, let serial) = cell { (value: value, serial: serial) } else { nil }
    }
    return taken.sorted { $0.serial > $1.serial }.map(\.value)
  }

  /// The values, in no particular order.
  package var values: [Value] {
    cells.compactMap { cell in if case .taken(let value, _) = cell { value } else { nil } }
  }
}

extension Slab: Sendable where Value: Sendable {}
extension Slab.Cell: Sendable where Value: Sendable {}

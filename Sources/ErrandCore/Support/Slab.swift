/// Values that are inserted, found and removed by a token, each in O(1) and without hashing. A token becomes
/// invalid when its value is removed, even if its place is reused.
package struct Slab<Value> {
  package struct Token: Sendable, Hashable {
    fileprivate let index: Int
    fileprivate let serial: UInt64
  }

  // A structure, because copying an enumeration with two values in a case would use the type's description at
  // run time.
  fileprivate struct Cell {
    /// Nil if the cell is free.
    var value: Value?
    /// The serial number of the value. In a free cell, the index of the next free one, or `none`.
    var number: UInt64
  }

  /// The capacity above which an empty slab releases its memory.
  private static var keptCapacity: Int { 1024 }
  private static var none: UInt64 { .max }

  private var cells: [Cell] = []
  private var firstFree = none
  private var lastSerial: UInt64 = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package mutating func insert(_ value: Value) -> Token {
    count += 1
    lastSerial += 1
    let cell = Cell(value: value, number: lastSerial)
    guard firstFree != Self.none else {
      cells.append(cell)
      return Token(index: cells.count - 1, serial: lastSerial)
    }
    let index = Int(firstFree)
    firstFree = cells[index].number
    cells[index] = cell
    return Token(index: index, serial: lastSerial)
  }

  @discardableResult
  package mutating func remove(_ token: Token) -> Value? {
    guard holds(token) else { return nil }
    let value = cells[token.index].value.take()
    if count == 1, cells.count > Self.keptCapacity {
      removeAll()
    } else {
      count -= 1
      cells[token.index].number = firstFree
      firstFree = UInt64(token.index)
    }
    return value
  }

  /// Removes all values, and releases the memory.
  package mutating func removeAll() {
    cells = []
    firstFree = Self.none
    count = 0
  }

  private func holds(_ token: Token) -> Bool {
    token.index < cells.count && cells[token.index].number == token.serial && cells[token.index].value != nil
  }

  /// The value of a token, or nil if it was removed. Setting it then does nothing.
  package subscript(_ token: Token) -> Value? {
    get { holds(token) ? cells[token.index].value : nil }
    set {
      guard let newValue, holds(token) else { return }
      cells[token.index].value = newValue
    }
  }

  /// The value if it is the only one.
  package var only: Value? {
    guard count == 1 else { return nil }
    return cells.first { $0.value != nil }?.value
  }

  /// The values in the reverse order of their insertion.
  package var newestFirst: [Value] {
    // Usually no place was reused. The values are then in order already, and sorting is one pass.
    let taken = cells.reversed().compactMap { cell in
      cell.value.map { (value: $0, serial: cell.number) }
    }
    return taken.sorted { $0.serial > $1.serial }.map(\.value)
  }

  /// The values, in no particular order.
  package var values: [Value] {
    cells.compactMap(\.value)
  }
}

extension Slab: Sendable where Value: Sendable {}
extension Slab.Cell: Sendable where Value: Sendable {}

/// Which call is the newest of its key. Pure.
struct LatestState<Call: Sendable>: Sendable {
  /// A call's place; good until another call takes it.
  struct Place: Sendable, Hashable {
    fileprivate let key: RequestKey
    fileprivate let number: UInt64
  }

  private var newest: [RequestKey: (number: UInt64, call: Call)] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { newest.count }
  var isEmpty: Bool { newest.isEmpty }

  /// A call begins. The one that it overtakes is to be stopped.
  mutating func begin(_ key: RequestKey, _ call: Call) -> (place: Place, overtaken: Call?) {
    lastNumber += 1
    let overtaken = newest.updateValue((lastNumber, call), forKey: key)?.call
    return (Place(key: key, number: lastNumber), overtaken)
  }

  /// A call ends. False if it was overtaken before: then it has no answer, and nothing changes.
  mutating func end(_ place: Place) -> Bool {
    guard let index = newest.index(forKey: place.key), newest.values[index].number == place.number else {
      return false
    }
    newest.remove(at: index)
    return true
  }
}

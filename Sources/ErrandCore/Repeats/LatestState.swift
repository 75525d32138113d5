/// Tracks which call is the newest of its key. Pure.
struct LatestState<Call: Sendable>: Sendable {
  /// A call's place; valid until another call takes it.
  struct Place: Sendable, Hashable {
    fileprivate let key: RequestKey
    fileprivate let number: UInt64
  }

  private var newest: [RequestKey: (number: UInt64, call: Call)] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { newest.count }
  var isEmpty: Bool { newest.isEmpty }

  /// Begins a call. Returns its place, and the call that it supersedes, which is to be cancelled.
  mutating func begin(_ key: RequestKey, _ call: Call) -> (place: Place, overtaken: Call?) {
    lastNumber += 1
    let overtaken = newest.updateValue((lastNumber, call), forKey: key)?.call
    return (Place(key: key, number: lastNumber), overtaken)
  }

  /// Ends a call. Returns false, and changes nothing, if it was superseded before: then it has no response.
  mutating func end(_ place: Place) -> Bool {
    guard let index = newest.index(forKey: place.key), newest.values[index].number == place.number else {
      return false
    }
    newest.remove(at: index)
    return true
  }
}

/// Shortens long IDs to as much of their end as keeps them distinct: IDs that an outbox makes begin with the
/// time, so many share a beginning.
enum ShortID {
  private static let least = 8
  /// IDs of at most this length are shown whole.
  private static let short = 12

  /// Returns the number of characters to show of each ID's end.
  static func length(of ids: [String]) -> Int {
    let longest = ids.map(\.count).max() ?? least
    guard longest > short else { return max(least, longest) }
    let sorted = Set(ids).map { String($0.reversed()) }.sorted()
    var length = least
    for (one, next) in zip(sorted, sorted.dropFirst()) {
      length = max(length, one.commonPrefix(with: next) + 1)
    }
    return length
  }
}

extension String {
  /// Returns the number of characters that both begin with.
  fileprivate func commonPrefix(with other: String) -> Int {
    zip(self, other).prefix { $0 == $1 }.count
  }
}

/// Names that are long are shown by as much of their end as tells them apart: those that an outbox makes begin with the time,
/// which tells nothing apart.
enum ShortID {
  private static let least = 8
  /// Names that are no longer are shown whole.
  private static let short = 12

  /// How much of the end of each is shown.
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
  /// How many characters they have in common.
  fileprivate func commonPrefix(with other: String) -> Int {
    zip(self, other).prefix { $0 == $1 }.count
  }
}

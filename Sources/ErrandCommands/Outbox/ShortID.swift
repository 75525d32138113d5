/// Names that are long are shown by as much of their beginning as tells them apart.
enum ShortID {
  private static let least = 8

  /// How much of each is shown.
  static func length(of ids: [String]) -> Int {
    let sorted = Set(ids).sorted()
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

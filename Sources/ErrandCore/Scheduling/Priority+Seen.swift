extension Priority {
  /// May use every slot, also those that are kept.
  var isSeen: Bool { self >= .default }

  /// Where its lines are.
  var level: Int { Int(rawValue) }
  static let levels = allCases.count
}

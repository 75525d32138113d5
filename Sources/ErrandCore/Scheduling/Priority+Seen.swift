extension Priority {
  /// True if requests of this priority may use every slot, including the reserved ones.
  var isSeen: Bool { self >= .default }

  /// The index of the priority's lines.
  var level: Int { Int(rawValue) }
  static let levels = allCases.count
}

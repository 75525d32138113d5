/// A line on a terminal that is redrawn while a transfer goes on.
protocol LiveLine: Sendable {
  /// Removes the line before something else is written. It may be drawn again below.
  func clear()
  /// Removes the line for good.
  func end()
}

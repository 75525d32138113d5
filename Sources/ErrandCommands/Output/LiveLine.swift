/// A line on a terminal that is drawn over and over while a transfer goes on.
protocol LiveLine: Sendable {
  /// Takes the line away before something else is written. It may come back below.
  func clear()
  /// Takes the line away for good.
  func end()
}

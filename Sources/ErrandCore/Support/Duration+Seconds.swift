extension Duration {
  /// A hundred years: practically for ever.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  package var wholeMilliseconds: Int {
    // Clamped to ±36 million years, so that the result can be added to without overflow.
    let seconds = max(-(1 << 50), min(components.seconds, 1 << 50))
    return Int(seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }

  /// The duration as text: `10 s`, `0.25 s`.
  package var formattedSeconds: String {
    let milliseconds = wholeMilliseconds
    if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
    var fraction = String(1000 + milliseconds % 1000).dropFirst()
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(milliseconds / 1000).\(fraction) s"
  }
}

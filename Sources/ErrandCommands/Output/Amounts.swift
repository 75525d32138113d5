import ErrandCore

/// Formats amounts for people.
enum Amounts {
  /// `999 B`, `1.5 kB`, `23.4 MB`.
  static func bytes(_ count: Int64) -> String {
    if count < 1000 { return "\(count) B" }
    var value = Double(count)
    var units = ["kB", "MB", "GB", "TB", "PB"][...]
    value /= 1000
    while value >= 999.95, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    return "\(decimal(value)) \(units.first ?? "")"
  }

  /// `1.5 ms`, `250 ms`, `3.2 s`.
  static func time(_ duration: Duration) -> String {
    let seconds = duration.seconds
    if seconds < 0.1 { return "\(decimal(seconds * 1000)) ms" }
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    return "\(decimal(seconds)) s"
  }

  /// `0:07`, `2:05:00`.
  static func clock(_ duration: Duration) -> String {
    let seconds = max(0, Int(duration.components.seconds))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
  }

  /// Returns the number with one digit after the point.
  private static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

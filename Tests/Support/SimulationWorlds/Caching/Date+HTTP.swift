#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Date {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The date as a header field has it, in whole seconds.
  var httpText: String {
    // 2026-01-01T00:00:00Z
    let parts = ISO8601Format().split { "-TZ".contains($0) }
    let weekday = Self.weekdays[Int((timeIntervalSince1970 / 86_400).rounded(.down)) % 7]
    return "\(weekday), \(parts[2]) \(Self.months[(Int(parts[1]) ?? 1) - 1]) \(parts[0]) \(parts[3]) GMT"
  }
}

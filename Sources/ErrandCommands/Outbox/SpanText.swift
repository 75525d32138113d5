import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats the distance to a time for people.
enum SpanText {
  /// `0s`, `59s`, `12m`, `3h`, `8d`.
  static func length(_ seconds: Double) -> String {
    let seconds = Int(min(max(0, seconds.rounded(.down)), 1e12))
    switch seconds {
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m"
    case ..<172_800: return "\(seconds / 3600)h"
    default: return "\(seconds / 86_400)d"
    }
  }

  /// `12m ago`.
  static func since(_ date: Date, at now: Date) -> String { "\(length(now.timeIntervalSince(date))) ago" }

  /// `in 12m`, or `now` if the time has come.
  static func until(_ date: Date, at now: Date) -> String {
    let seconds = date.timeIntervalSince(now)
    return seconds <= 0 ? "now" : "in \(length(seconds.rounded(.up)))"
  }
}

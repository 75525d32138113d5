import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Formats amounts for people.
enum Amounts {
  /// Formats a number of bytes: `999 B`, `1.5 kB`, `23.4 MB`.
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

  /// Formats a duration: `1.5 ms`, `250 ms`, `3.2 s`.
  static func time(_ duration: Duration) -> String {
    let seconds = duration.seconds
    if seconds < 0.1 { return "\(decimal(seconds * 1000)) ms" }
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    return "\(decimal(seconds)) s"
  }

  /// Formats a duration in minutes and seconds, and hours if needed: `0:07`, `2:05:00`.
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

/// Formats the timing of a response in two lines.
enum TimingText {
  static func lines(_ timing: Timing) -> [String] {
    // The response comes from the cache.
    if timing.attempts == 0 { return [] }
    var facts = [
      timing.httpVersion.map { "\($0)" },
      timing.connectionReused.map { $0 ? "connection reused" : "new connection" },
    ]
    .compactMap { $0 }
    facts.append(timing.attempts == 1 ? "1 attempt" : "\(timing.attempts) attempts")
    if timing.redirects > 0 {
      facts.append(timing.redirects == 1 ? "1 redirect" : "\(timing.redirects) redirects")
    }
    facts.append("sent \(Amounts.bytes(timing.bytesSent)), received \(Amounts.bytes(timing.bytesReceived))")
    let steps: [(String, Duration?)] = [
      ("queue", timing.queue), ("dns", timing.dns), ("connect", timing.connect), ("tls", timing.tls),
      ("first byte", timing.firstByte), ("total", timing.total),
    ]
    let times = steps.compactMap { name, time in time.map { "\(name) \(Amounts.time($0))" } }
    return ["* \(facts.joined(separator: ", "))", "* \(times.joined(separator: ", "))"]
  }
}

/// Formats names with a text beside each.
enum TwoColumns {
  /// - Parameter width: The width of the first column; nil for the length of the longest name.
  static func lines(_ rows: [(String, String)], width: Int? = nil) -> [String] {
    let width = width ?? rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "\(name)\(String(repeating: " ", count: width - name.count))  \(text)"
    }
  }
}

/// Formats the time since or until a date for people.
enum SpanText {
  /// Formats seconds in their largest unit: `0s`, `59s`, `12m`, `3h`, `8d`.
  static func length(_ seconds: Double) -> String {
    let seconds = Int(min(max(0, seconds.rounded(.down)), 1e12))
    switch seconds {
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m"
    case ..<172_800: return "\(seconds / 3600)h"
    default: return "\(seconds / 86_400)d"
    }
  }

  /// Formats the time since a date: `12m ago`.
  static func since(_ date: Date, at now: Date) -> String { "\(length(now.timeIntervalSince(date))) ago" }

  /// Formats the time until a date: `in 12m`, or `now` if the date is not in the future.
  static func until(_ date: Date, at now: Date) -> String {
    let seconds = date.timeIntervalSince(now)
    return seconds <= 0 ? "now" : "in \(length(seconds.rounded(.up)))"
  }
}

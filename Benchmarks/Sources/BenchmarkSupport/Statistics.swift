/// Statistics of a few measurements.
public enum Statistics {
  public static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Returns the value below which this part (0 to 1) of the measurements lies, by nearest rank.
  public static func percentile(_ part: Double, _ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let rank = (part * Double(sorted.count)).rounded(.up)
    return sorted[min(sorted.count - 1, max(0, Int(rank) - 1))]
  }

  /// Returns the median of each round's own ratio: a disturbance affects both measurements of its round.
  public static func medianRatio(_ numerators: [Double], _ denominators: [Double]) -> Double {
    median(zip(numerators, denominators).map { $0 / $1 })
  }
}

extension Double {
  /// Returns the number with so many digits after the point.
  public func fixed(_ digits: Int) -> String {
    guard isFinite else { return "-" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((abs(self) * scale).rounded())
    let sign = self < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)"
  }
}

extension String {
  /// Returns the text padded with spaces on its left.
  public func right(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// Returns the text padded with spaces on its right.
  public func left(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

extension Duration {
  public var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

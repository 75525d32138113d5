/// The value of `--metrics`: `[HOST]:PORT`.
struct MetricsAddress: Sendable, Hashable {
  let port: Int
  /// True to serve on all addresses of the machine, false for 127.0.0.1 only.
  let isOpen: Bool

  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = Int(parts[1]), 1...65_535 ~= port,
      parts[1].utf8.allSatisfy({ 48...57 ~= $0 })
    else {
      throw UsageError(
        "--metrics takes [HOST]:PORT, not \(text.debugDescription)", hint: "For example: --metrics :9464.")
    }
    self.port = port
    switch parts[0] {
    case "", "127.0.0.1", "localhost": isOpen = false
    case "0.0.0.0", "*": isOpen = true
    default:
      throw UsageError(
        "--metrics cannot serve at \(String(parts[0]).debugDescription)",
        hint: "Use 127.0.0.1 for this machine only, or 0.0.0.0 for all of its addresses.")
    }
  }
}

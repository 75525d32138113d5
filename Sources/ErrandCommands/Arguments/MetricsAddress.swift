/// The value of `--metrics`: `[HOST]:PORT`.
struct MetricsAddress: Sendable, Hashable {
  let port: Int
  /// True to serve on all addresses of the machine, false for 127.0.0.1 and ::1 only.
  let isOpen: Bool

  init(_ text: String) throws(UsageError) {
    // The address of IPv6 has colons itself, and stands in brackets.
    let colon = text.lastIndex(of: ":")
    let (host, digits) = colon.map { (text[..<$0], text[$0...].dropFirst()) } ?? ("", "")
    guard let port = Int(digits), 1...65_535 ~= port, digits.utf8.allSatisfy({ 48...57 ~= $0 }),
      !host.contains(":") || (host.hasPrefix("[") && host.hasSuffix("]"))
    else {
      throw UsageError(
        "--metrics takes [HOST]:PORT, not \(text.debugDescription)", hint: "For example: --metrics :9464.")
    }
    self.port = port
    switch host {
    case "", "127.0.0.1", "localhost", "[::1]": isOpen = false
    case "0.0.0.0", "*", "[::]": isOpen = true
    default:
      throw UsageError(
        "--metrics cannot serve at \(String(host).debugDescription)",
        hint: "Use 127.0.0.1 or [::1] for this machine only, or 0.0.0.0 or [::] for all of its addresses.")
    }
  }
}

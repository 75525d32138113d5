#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes a response's body: unchanged, or with control characters escaped on a terminal.
struct BodyWriter {
  private let outlet: Outlet
  private var escaper = ControlEscaper(keepsLines: true)
  private var endsLine = true

  init(_ outlet: Outlet) { self.outlet = outlet }

  mutating func write(_ chunk: Data) throws {
    guard outlet.isTerminal else {
      try chunk.withUnsafeBytes { try outlet.write($0) }
      return
    }
    try show(escaper.escape(chunk))
  }

  /// Ends the body. On a terminal the prompt begins on a line of its own.
  mutating func finish() throws {
    guard outlet.isTerminal else { return }
    try show(escaper.finish())
    if !endsLine { try show([0x0A]) }
  }

  private mutating func show(_ bytes: [UInt8]) throws {
    if let last = bytes.last { endsLine = last == 0x0A }
    try outlet.write(bytes)
  }
}

import ErrandTesting

/// Comes once; whoever waits for it goes on then.
struct Moment: Sendable {
  private let gate = StubGate()

  func come() { gate.open() }

  func wait() async { try? await gate.pass() }
}

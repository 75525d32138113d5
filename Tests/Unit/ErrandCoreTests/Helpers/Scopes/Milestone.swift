import ErrandTesting

/// An event that happens once and resumes all tasks that wait for it.
struct Milestone: Sendable {
  private let gate = StubGate()

  func come() { gate.open() }

  func wait() async { try? await gate.pass() }
}

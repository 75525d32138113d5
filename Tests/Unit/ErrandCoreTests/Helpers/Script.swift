import ErrandTesting

@testable import ErrandCore

/// The next step of a stub, which can be changed while the stub is in use.
final class Script: Sendable {
  private let step: Locked<StubStep>

  init(_ step: StubStep) { self.step = Locked(step) }

  var now: StubStep {
    get { step.withLock { $0 } }
    set { step.withLock { $0 = newValue } }
  }
}

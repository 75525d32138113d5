import ErrandTesting

@testable import ErrandCore

/// What a stub does next; can be changed while it is used.
final class Script: Sendable {
  private let step: Locked<StubStep>

  init(_ step: StubStep) { self.step = Locked(step) }

  var now: StubStep {
    get { step.withLock { $0 } }
    set { step.withLock { $0 = newValue } }
  }
}

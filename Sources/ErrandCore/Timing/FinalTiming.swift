/// The timing of a stream, which is set after its last chunk.
final class FinalTiming: Sendable {
  private let timing = Locked<Timing?>(nil)

  init() {}

  var value: Timing? {
    get { timing.withLock { $0 } }
    set { timing.withLock { $0 = newValue } }
  }
}

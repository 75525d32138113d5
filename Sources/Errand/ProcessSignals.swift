import Dispatch
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The calls that wait for signals. Pure: `ProcessSignals` changes the effects of the signals.
struct SignalWaits {
  /// The signals of each call that has received none yet.
  private var signals: [Int: Set<Int32>] = [:]
  private var lastCall = 0

  /// Returns true if a call waits for the signal.
  func isAwaited(_ signal: Int32) -> Bool { signals.values.contains { $0.contains(signal) } }

  /// Adds a call.
  /// - Returns: Its number, and those of its signals for which no other call waits.
  mutating func begin(_ wanted: Set<Int32>) -> (call: Int, first: Set<Int32>) {
    let first = wanted.filter { !isAwaited($0) }
    lastCall += 1
    signals[lastCall] = wanted
    return (lastCall, first)
  }

  /// Removes a call.
  /// - Returns: The signals for which no call waits any more.
  mutating func end(_ call: Int) -> Set<Int32> {
    (signals.removeValue(forKey: call) ?? []).filter { !isAwaited($0) }
  }

  /// Removes the calls that wait for a signal, because each call ends at its first one.
  /// - Returns: The calls, and the signals for which no call waits any more.
  mutating func receive(_ signal: Int32) -> (calls: [Int], last: Set<Int32>) {
    let calls = signals.filter { $0.value.contains(signal) }.keys.sorted()
    return (calls, calls.reduce(into: []) { $0.formUnion(end($1)) })
  }
}

/// The signals of this process. The first call that waits for a signal changes its effect, and the end of the last one
/// restores the effect that the signal had before.
///
/// Dispatch installs its handler at the first source for a signal, and never again. Thus each source lives as long as
/// the process, and the handler is kept for later calls.
final class ProcessSignals: Sendable {
  static let shared = ProcessSignals()

  private struct Registration {
    let source: any DispatchSourceSignal
    /// The effect before the first present call; nil while no call waits.
    var before: sigaction?
    /// The effect while a call waits; nil until the source is registered.
    var during: sigaction?
    /// The calls that wait for the registration.
    var starting: [CheckedContinuation<Void, Never>] = []
  }

  private struct State {
    var waits = SignalWaits()
    var handlers: [Int: @Sendable () -> Void] = [:]
    /// The signal of each call that has received one and has not ended.
    var received: [Int: Int32] = [:]
    var registrations: [Int32: Registration] = [:]

    mutating func install(_ signal: Int32) {
      // An earlier call may have ended while the source is being registered.
      if registrations[signal]?.before == nil { registrations[signal]?.before = Self.effect(of: signal) }
      if let during = registrations[signal]?.during { Self.setEffect(of: signal, during) }
    }

    /// The signals have their former effects at once, so that a second one can end the process.
    mutating func restore(_ signals: Set<Int32>) {
      for signal in signals {
        // Until then, the handler of Dispatch is not in place yet.
        guard registrations[signal]?.during != nil, let before = registrations[signal]?.before else {
          continue
        }
        Self.setEffect(of: signal, before)
        registrations[signal]?.before = nil
      }
    }

    /// Notes the effect that the registration of a source gave to its signal.
    mutating func registered(_ signal: Int32) -> [CheckedContinuation<Void, Never>] {
      #if canImport(Darwin)
        // Dispatch only observes the signal, which would also end the process. Unlike an ignored signal, one with a
        // handler has its default effect in programs that this one starts.
        _ = Darwin.signal(signal) { _ in }
      #endif
      registrations[signal]?.during = Self.effect(of: signal)
      if !waits.isAwaited(signal) { restore([signal]) }
      let starting = registrations[signal]?.starting ?? []
      registrations[signal]?.starting = []
      return starting
    }

    private static func effect(of signal: Int32) -> sigaction {
      var action = sigaction()
      sigaction(signal, nil, &action)
      return action
    }

    private static func setEffect(of signal: Int32, _ action: sigaction) {
      var action = action
      sigaction(signal, &action, nil)
    }
  }

  private let state = Locked(State())

  private init() {}

  /// Returns when each of the signals calls `handler` instead of having its effect.
  /// - Returns: The number of the call, for `end`.
  func begin(_ signals: Set<Int32>, _ handler: @escaping @Sendable () -> Void) async -> Int {
    let call = state.withLock { state in
      let (call, first) = state.waits.begin(signals)
      state.handlers[call] = handler
      for signal in first {
        if state.registrations[signal] == nil {
          state.registrations[signal] = Registration(source: source(for: signal))
        }
        state.install(signal)
      }
      return call
    }
    for signal in signals {
      await withCheckedContinuation { continuation in
        let source = state.withLock { state -> (any DispatchSourceSignal)? in
          guard let registration = state.registrations[signal], registration.during == nil else {
            return nil
          }
          state.registrations[signal]?.starting.append(continuation)
          return registration.source
        }
        // A second activation has no effect.
        if let source { source.activate() } else { continuation.resume() }
      }
    }
    return call
  }

  /// Ends a call.
  /// - Returns: The signal that the call has received, also if its handler has not been called yet.
  func end(_ call: Int) -> Int32? {
    state.withLock { state in
      state.handlers[call] = nil
      state.restore(state.waits.end(call))
      return state.received.removeValue(forKey: call)
    }
  }

  private func source(for signal: Int32) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
    source.setRegistrationHandler { [self] in
      for continuation in state.withLock({ $0.registered(signal) }) { continuation.resume() }
    }
    source.setEventHandler { [self] in receive(signal) }
    return source
  }

  private func receive(_ signal: Int32) {
    let handlers = state.withLock { state in
      let (calls, last) = state.waits.receive(signal)
      state.restore(last)
      for call in calls { state.received[call] = signal }
      return calls.compactMap { state.handlers.removeValue(forKey: $0) }
    }
    for handler in handlers { handler() }
  }
}

import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The listeners of one client, and the data that its events need.
final class EventSource: Sendable {
  private let listeners: ListenerList
  let timeline: Timeline
  let secrets: Secrets
  let date: @Sendable () -> Date
  /// The maximum number of bytes of each body that a listener reads.
  var bodyLimit: Int { mostBytes.load(ordering: .relaxed) }
  private let mostBytes: Atomic<Int>
  private let tracing: TraceSource?
  /// The listeners that `ClientConfiguration.listenerMakers` made for this client.
  let made: [any EventListener]

  /// Returns nil for a client without listeners, metrics and tracing, whose calls have no events.
  init?(
    _ configuration: ClientConfiguration, _ timeline: Timeline, adding added: [any EventListener] = []
  ) {
    made = configuration.listenerMakers.values.map { $0() }
    var listeners = configuration.listeners + added
    if let log = CallLog.ofEnvironment { listeners.append(log) }
    listeners += made
    tracing = configuration.tracing.map { TraceSource($0) }
    if let tracing = configuration.tracing { listeners.append(TraceRecorder(tracing)) }
    guard let list = ListenerList.of(listeners) else { return nil }
    self.listeners = list
    mostBytes = Atomic(listeners.map(\.readBytes).max() ?? 0)
    self.timeline = timeline
    secrets = configuration.secrets
    date = configuration.date
  }

  func append(_ listener: any EventListener) {
    _ = mostBytes.max(listener.readBytes, ordering: .relaxed)
    listeners.append(listener)
  }

  func tell(_ event: borrowing CallEvent) { listeners.tell(event) }

  /// Returns the events of a new call, and reports its start.
  /// - Parameter id: The call's number; nil for the next number.
  func begin(
    _ request: Request, in scope: ScopeName? = nil, for purpose: CallPurpose = .caller, id: UInt64? = nil
  ) -> CallEvents {
    let trace = tracing.map { tracing in
      CallTrace(tracing, named: "errand \(HTTPSpan.name(request.method))", link: request.options.trace)
    }
    let events = CallEvents(
      id: id ?? CallCounter.next(), request, scope: scope, purpose: purpose, trace: trace, self)
    events.tell(.started)
    return events
  }
}

/// Holds a client's event source, which is made for the first listener.
final class EventHolder: Sendable {
  private let held = AtomicLazyReference<EventSource>()
  /// Read first, because each access to `held` is slow: it uses the type's metadata at run time.
  private let holds: Atomic<Bool>

  init(_ source: EventSource?) {
    if let source { _ = held.storeIfNil(source) }
    holds = Atomic(source != nil)
  }

  /// The source; nil without listeners.
  var source: EventSource? { holds.load(ordering: .acquiring) ? held.load() : nil }

  /// Adds a listener to the calls that begin from now on.
  /// - Parameter make: Makes the source with this listener, unless there is a source already.
  func append(_ listener: any EventListener, orMake make: () -> EventSource?) {
    if let source { return source.append(listener) }
    guard let new = make() else { return }
    let first = held.storeIfNil(new)
    holds.store(true, ordering: .releasing)
    // Another listener was added first.
    if first !== new { first.append(listener) }
  }
}

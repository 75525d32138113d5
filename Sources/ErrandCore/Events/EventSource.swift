import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The listeners of one client, and what their events are made with.
final class EventSource: Sendable {
  private let listeners: ListenerList
  let timeline: Timeline
  let secrets: Secrets
  let date: @Sendable () -> Date
  /// The most bytes of each body that a listener wants to read.
  var bodyLimit: Int { mostBytes.load(ordering: .relaxed) }
  private let mostBytes: Atomic<Int>
  private let tracing: TraceSource?
  /// Nil if the metrics are not collected.
  let metrics: MetricsCollector?

  /// Returns nil for a client that nothing listens to: its calls have no events then.
  init?(
    _ listeners: [any EventListener], collectsMetrics: Bool, tracing: Tracing?, _ timeline: Timeline,
    secrets: Secrets,
    date: @escaping @Sendable () -> Date
  ) {
    metrics = collectsMetrics ? MetricsCollector() : nil
    var listeners = listeners
    if let log = CallLog.ofEnvironment { listeners.append(log) }
    if let metrics { listeners.append(metrics) }
    self.tracing = tracing.map { TraceSource($0) }
    if let tracing { listeners.append(TraceRecorder(tracing)) }
    guard let list = ListenerList.of(listeners) else { return nil }
    self.listeners = list
    mostBytes = Atomic(listeners.map(\.bodyLimit).max() ?? 0)
    self.timeline = timeline
    self.secrets = secrets
    self.date = date
  }

  func append(_ listener: any EventListener) {
    _ = mostBytes.max(listener.bodyLimit, ordering: .relaxed)
    listeners.append(listener)
  }

  func tell(_ event: borrowing CallEvent) { listeners.tell(event) }

  /// Returns the events of a new call, and tells of its start.
  /// - Parameter id: The call's number; nil for the next.
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

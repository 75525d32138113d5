public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends spans and measurements to a collector, in OpenTelemetry's protocol over HTTP (OTLP 1.x, JSON).
///
/// ```swift
/// let exporter = OTLPExporter(to: collectorURL, through: Client(transport: transport), service: "orders")
/// configuration.tracing = Tracing(exporter, meter: exporter, origins: [apiURL])
/// ```
///
/// Spans are sent in batches, a few seconds after the first; what is too much is dropped and counted, and no call waits
/// for any of it. The client that sends must have no `tracing` of its own.
public final class OTLPExporter: RequestTracer, RequestMeter {
  /// The limits of an exporter.
  public struct Limits: Sendable, Hashable {
    /// The most spans that wait. Default: 2048.
    public var waiting = 2048
    /// The most spans in one request. Default: 512.
    public var batch = 512
    /// How long the first span of a batch waits for others. Default: 5 s.
    public var delay = Duration.seconds(5)
    /// The most sets of attributes that are measured for themselves. Default: 200.
    public var series = 200

    public init() {}
  }

  private struct Round: Sendable {
    /// Ends when the batch has waited long enough, or when it is cancelled.
    let delay: Task<Void, Never>
    let sending: Task<Void, Never>
  }

  private let client: Client
  private let endpoint: URL
  private let resource: OTLPResource
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let state: Locked<OTLPState>
  private let round = Locked<Round?>(nil)

  /// - Parameters:
  ///   - endpoint: The collector's base URL, as in `http://localhost:4318`; `/v1/traces` and `/v1/metrics` are added.
  ///   - client: Sends the batches; it must have no `tracing`. As the protocol asks, a collector that is busy is asked
  ///     again, by the client's rules for retries.
  ///   - service: The name of this program: `service.name`.
  ///   - attributes: Further attributes of this program, as in `deployment.environment.name`.
  public init(
    to endpoint: URL, through client: Client, service: String, attributes: [String: TraceValue] = [:],
    limits: Limits = Limits()
  ) {
    self.client = client
    self.endpoint = endpoint
    timeline = client.timeline
    date = client.date
    resource = OTLPResource(service: service, attributes)
    state = Locked(OTLPState(limits, began: client.date()))
  }

  /// The number of spans and measurements that were dropped: because there were too many, or because the collector was
  /// away or rejected them.
  public var dropped: Int { state.withLock { $0.dropped } }

  public func end(_ span: TraceSpan) {
    guard span.context.isSampled else { return }
    if state.withLock({ $0.add(span) }) { beginRound() }
  }

  public func record(duration: Double, _ attributes: [String: TraceValue]) {
    if state.withLock({ $0.add(duration, attributes) }) { beginRound() }
  }

  /// Sends what waits, and returns when it was sent or dropped: at the end of a program.
  public func flush() async {
    let round = round.withLock { $0 }
    round?.delay.cancel()
    await round?.sending.value
    // What comes meanwhile is not waited for without end.
    for _ in 0...state.withLock({ $0.mostBatches }) {
      let now = date()
      guard case .batch(let batch) = state.withLock({ $0.take(at: now, isFirst: true) }) else { return }
      await send(batch)
    }
  }

  private func beginRound() {
    let delay = Task { [timeline, length = state.withLock { $0.limits.delay }] in
      try? await timeline.sleep(length)
      return
    }
    let sending = Task { [weak self] in
      await delay.value
      await self?.sendRound()
    }
    round.withLock { $0 = Round(delay: delay, sending: sending) }
  }

  /// Sends what has waited. What comes meanwhile waits for the next round, unless it fills a batch.
  private func sendRound() async {
    var isFirst = true
    while true {
      let now = date()
      switch state.withLock({ [isFirst] in $0.take(at: now, isFirst: isFirst) }) {
      case .batch(let batch): await send(batch)
      case .later: return beginRound()
      case .nothing: return
      }
      isFirst = false
    }
  }

  private func send(_ batch: OTLPState.Batch) async {
    if !batch.spans.isEmpty {
      await send(OTLPTraces(batch.spans, resource), to: "v1/traces", counting: batch.spans.count)
    }
    if !batch.series.isEmpty {
      let body = OTLPMetrics(batch.series, resource, from: batch.began, to: batch.time)
      // The next request has these measurements, too: they are sums from the beginning.
      await send(body, to: "v1/metrics", counting: 0)
    }
  }

  private func send(_ body: some Encodable & Sendable, to path: String, counting count: Int) async {
    // A collector may be sent a batch twice; the key lets the client attempt it again after any failure that passes.
    let request = Request.post(endpoint.appending(path: path), json: body)
      .idempotencyKey(UUID().uuidString).inBackground()
    do {
      let response = try await client.send(request)
      let rejected = OTLPReply.rejected(in: response)
      state.withLock { $0.dropped += min(rejected, count) }
    } catch {
      state.withLock { $0.dropped += count }
    }
  }
}

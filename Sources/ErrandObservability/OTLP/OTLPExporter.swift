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
/// A batch of spans is sent when it is full, or a few seconds after its first span. A batch that the collector
/// cannot take now (429, 502, 503, 504, or no response) is retried, after the time in `Retry-After` or a
/// growing one, but not later than `Limits.giveUpAfter`. While the collector is away, spans wait up to the
/// limits. Further ones are dropped and counted, and `onNotice` is called once. A redirect to another origin is
/// not followed. No call waits for the exporter. Its requests take no slots of the client that sends them, which
/// must not have `tracing` itself.
public final class OTLPExporter: RequestTracer, RequestMeter {
  /// The limits of an exporter.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of spans that wait or are being sent. Default: 16,384.
    public var waiting = 16_384
    /// The maximum size of these spans in bytes, estimated. Default: 32 MiB.
    public var bytes = 32 << 20
    /// The maximum number of spans in one request. Default: 512.
    public var batch = 512
    /// The maximum number of requests with spans at a time. Default: 4.
    public var inFlight = 4
    /// How long the first span of a batch waits for others. Measurements are sent at this interval. Default:
    /// 5 s.
    public var delay = Duration.seconds(5)
    /// The time-out of one request. Default: 10 s.
    public var timeout = Duration.seconds(10)
    /// How long after its first attempt a batch is retried. A batch that fails after that is dropped. A
    /// collector that asks for a longer wait (`Retry-After`) is tried again at the end of this time. Default:
    /// 30 s.
    public var giveUpAfter = Duration.seconds(30)
    /// The maximum number of sets of attributes that are measured separately. Measurements of further sets
    /// are dropped. Default: 200.
    public var series = 200

    /// Makes limits with the defaults.
    public init() {}
  }

  private let client: Client
  private let endpoint: URL
  private let resource: OTLPResource
  private let began: Date
  private let state: Locked<OTLPState>
  private let onNotice: @Sendable (OTLPNotice) -> Void
  /// The requests that are being sent.
  private let requests = RequestScope("otlp")
  private let flushes = Locked<[Int: Promise<Bool>]>([:])
  /// Set once, in the initializer, because the timer's handler refers to the exporter.
  private let timer = Locked<DeadlineTimer?>(nil)

  /// Makes an exporter.
  /// - Parameters:
  ///   - endpoint: The collector's base URL, such as `http://localhost:4318`. `/v1/traces` and `/v1/metrics`
  ///     are added to it.
  ///   - client: The client that sends the batches, which must not have `tracing`. The exporter decides about
  ///     retries, not this client's policy.
  ///   - service: The name of this program (`service.name`).
  ///   - attributes: Further attributes of this program, such as `deployment.environment.name`. Default:
  ///     empty.
  ///   - limits: The limits of the exporter.
  ///   - onNotice: Called once when spans begin to be dropped, and once when the exporter has recovered.
  ///     Default: writes a line to standard error.
  public init(
    to endpoint: URL, through client: Client, service: String, attributes: [String: TraceValue] = [:],
    limits: Limits = Limits(),
    onNotice: (@Sendable (OTLPNotice) -> Void)? = nil
  ) {
    self.client = client
    self.endpoint = endpoint
    self.onNotice = onNotice ?? { LogText.writeToStandardError("errand: \($0)") }
    began = client.date()
    resource = OTLPResource(service: service, attributes)
    state = Locked(OTLPState(limits))
    let timer = DeadlineTimer(client.timeline) { [weak self] now in
      self?.advance(to: now)
      return nil
    }
    self.timer.withLock { $0 = timer }
  }

  /// The number of spans and measurements that were dropped, because there were too many, or because the
  /// collector was unavailable or rejected them.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Adds a sampled span to the next batch.
  public func end(_ span: TraceSpan) {
    guard span.context.isSampled else { return }
    let now = client.timeline.now()
    carryOut(state.withLock { $0.add(span, at: now) })
  }

  /// Adds a measurement to the histogram of its attributes.
  /// - Parameter duration: The duration in seconds. A negative one, and one that is not finite, is ignored.
  public func record(duration: Double, _ attributes: [String: TraceValue]) {
    let now = client.timeline.now()
    carryOut(state.withLock { $0.add(duration, attributes, at: now) })
  }

  /// Sends the waiting spans and measurements, and returns when they were sent or dropped, or when the time has
  /// passed. Spans that could not be sent in this time wait as before.
  /// - Parameter limit: How long to wait. Default: 10 s.
  /// - Returns: False if the time has passed before everything was sent or dropped.
  @discardableResult
  public func flush(within limit: Duration = .seconds(10)) async -> Bool {
    let (now, promise) = (client.timeline.now(), Promise<Bool>())
    let effects = state.withLock { state in
      let (id, effects) = state.flush(at: now, within: limit)
      // Registered under the lock, so that no other thread ends the flush before.
      flushes.withLock { $0[id] = promise }
      return effects
    }
    carryOut(effects)
    return (try? await promise.settled().get()) ?? false
  }

  /// Sends what waits, as `flush` does, and ends the exporter: it cancels its requests, and drops what could not
  /// be sent and all later spans. Call it at the end of a program.
  /// - Parameter limit: How long to wait. Default: 10 s.
  /// - Returns: False if the time has passed before everything was sent or dropped.
  @discardableResult
  public func shutdown(within limit: Duration = .seconds(10)) async -> Bool {
    let isDone = await flush(within: limit)
    let now = client.timeline.now()
    carryOut(state.withLock { $0.shutDown(at: now) })
    requests.end()
    return isDone
  }

  private func advance(to now: Duration) { carryOut(state.withLock { $0.advance(to: now) }) }

  /// Carries out effects, with no lock held.
  private func carryOut(_ effects: [OTLPState.Effect]) {
    for effect in effects { carryOut(effect) }
  }

  private func carryOut(_ effect: OTLPState.Effect) {
    switch effect {
    case .wake(let due): timer.withLock { $0 }?.set(for: due)
    case .report(let notice): onNotice(notice)
    case .endFlush(let id, let isDone):
      flushes.withLock { $0.removeValue(forKey: id) }?.settle(.success(isDone))
    case .send(let batch):
      start { exporter in
        let outcome = await exporter.send("v1/traces") {
          try OTLPTraces(batch.spans, exporter.resource).json()
        }
        let (now, random) = (exporter.client.timeline.now(), Double.random(in: 0...1))
        exporter.carryOut(
          exporter.state.withLock { $0.ended(batch.number, outcome, at: now, random: random) })
      }
    case .sendMeasurements(let series):
      start { exporter in
        let date = exporter.client.date()
        let outcome = await exporter.send("v1/metrics") {
          try JSONEncoder().encode(OTLPMetrics(series, exporter.resource, from: exporter.began, to: date))
        }
        let (now, random) = (exporter.client.timeline.now(), Double.random(in: 0...1))
        exporter.carryOut(exporter.state.withLock { $0.measurementsEnded(outcome, at: now, random: random) })
      }
    }
  }

  /// Starts a task that has neither the task-local values nor the priority of the call whose span fills a batch.
  private func start(_ work: @escaping @Sendable (OTLPExporter) async -> Void) {
    Task.detached(executorPreference: client.timeline.counting?.executor, priority: .medium) { [self] in
      await work(self)
    }
  }

  private func send(_ path: String, _ body: () throws -> Data) async -> OTLPState.Outcome {
    do {
      let body = RequestBody.bytes(try body(), contentType: "application/json")
      var redirects = RedirectPolicy()
      // The spans belong to this collector, and a GET request does not carry them.
      (redirects.allowsOtherOrigins, redirects.allowsChangeOfMethod) = (false, false)
      var request = Request.post(endpoint.appending(path: path), body)
        .inBackground().retry(.never).deadline(state.withLock { $0.limits.timeout }).redirects(redirects)
      // `inFlight` limits the requests. The deadline would also count while a request waits for a slot.
      request.options.takesNoSlot = true
      return .accepted(rejected: OTLPReply.rejected(in: try await client.send(request, in: requests)))
    } catch {
      return OTLPReply.outcome(of: error)
    }
  }
}

import ErrandCore

/// The spans and measurements of an exporter: what waits, what is being sent, and when the next request is
/// due. Pure: times and random numbers are parameters.
///
/// A batch leaves when it is full, or when its first span has waited for the delay. While the collector does
/// not respond, one batch at a time is tried, with a growing wait between the attempts. The waits of spans and
/// of measurements are separate, because a collector may take one and not the other.
struct OTLPState: Sendable {
  struct Batch: Sendable {
    let number: Int
    var spans: [TraceSpan] = []
    var bytes = 0
    /// The time at which the first span was added.
    let began: Duration
    /// The number of attempts that have failed.
    var failures = 0
    /// The time after which a failed batch is dropped; nil before the first attempt.
    var end: Duration?
  }

  typealias Series = [[String: TraceValue]: Histogram]

  /// What the exporter must do.
  enum Effect: Sendable {
    case send(Batch)
    case sendMeasurements(Series)
    /// A caller of `flush` continues. True if everything was sent or dropped.
    case endFlush(Int, Bool)
    case report(OTLPNotice)
    /// Call `advance` at this time.
    case wake(Duration)
  }

  /// The result of a request.
  enum Outcome: Sendable {
    /// The collector has accepted the request, except for this number of spans.
    case accepted(rejected: Int)
    /// The collector is unavailable or busy, and may have asked for a wait.
    case unavailable(String, after: Duration?)
    /// The collector will never accept the request.
    case refused(String)
  }

  private struct Flush: Sendable {
    /// The last batch and the last measurements that the caller waits for.
    let batch: Int
    let measurements: Int
    let end: Duration
  }

  /// The estimated size at which a batch counts as full, in bytes. Collectors limit the size of a request.
  static let largestBatch = 2 << 20
  /// How long no span must have been dropped until the exporter reports that it has recovered.
  static let quiet = Duration.seconds(30)

  let limits: OTLPExporter.Limits
  private(set) var dropped = 0
  /// The number of spans that wait or are being sent, and their estimated size.
  private(set) var held = (spans: 0, bytes: 0)

  /// The batch to which spans are added.
  private var filling: Batch?
  /// Batches that are ready, those with failures first.
  private var waiting: [Batch] = []
  private var inFlight: [Int: Batch] = [:]
  private var lastNumber = 0
  private var pace = OTLPPace()

  private var series: Series = [:]
  private var hasChanged = false
  private var measurementsDue: Duration?
  private var measurements = (begun: 0, ended: 0)
  private var measurementsPace = OTLPPace()
  /// The number of requests with measurements that have failed since the last success.
  private var measurementsFailures = 0

  private var flushes: [Int: Flush] = [:]
  private var lastFlush = 0
  private var isShut = false

  private struct Loss: Sendable {
    /// The number of spans that had been dropped before.
    let before: Int
    /// The time at which the last span was dropped.
    var last: Duration
    /// True if the collector has accepted a batch since then.
    var isOver = false
  }

  /// The loss that was reported; nil if no span has been dropped since the last recovery.
  private var loss: Loss?

  init(_ limits: OTLPExporter.Limits) { self.limits = limits.bounded }

  /// Adds a span.
  mutating func add(_ span: TraceSpan, at now: Duration) -> [Effect] {
    let bytes = span.estimatedSize
    guard !isShut, held.spans < limits.waiting, held.bytes + bytes <= limits.bytes else {
      return drop(1, at: now, isShut ? "the exporter is shut down" : "the limit of waiting spans is reached")
    }
    held.spans += 1
    held.bytes += bytes
    if filling == nil {
      lastNumber += 1
      filling = Batch(number: lastNumber, began: now)
    }
    filling?.spans.append(span)
    filling?.bytes += bytes
    let count = filling?.spans.count ?? 0
    if count >= max(1, limits.batch) || (filling?.bytes ?? 0) >= Self.largestBatch {
      seal()
      return leave(now)
    }
    return count == 1 ? [.wake(now + limits.delay)] : []
  }

  /// Adds a measurement, unless its duration is negative or not a finite number.
  mutating func add(_ duration: Double, _ attributes: [String: TraceValue], at now: Duration) -> [Effect] {
    guard duration.isFinite, duration >= 0 else { return [] }
    guard !isShut, series[attributes] != nil || series.count < limits.series else {
      dropped += 1
      return []
    }
    series[attributes, default: Histogram()].add(seconds: duration)
    hasChanged = true
    guard measurementsDue == nil else { return [] }
    measurementsDue = now + limits.delay
    return [.wake(now + limits.delay)]
  }

  /// Takes the result of a batch.
  /// - Parameter random: A random number from 0 to 1.
  mutating func ended(_ number: Int, _ outcome: Outcome, at now: Duration, random: Double) -> [Effect] {
    guard var batch = inFlight.removeValue(forKey: number) else { return [] }
    var effects: [Effect] = []
    switch outcome {
    case .accepted(let rejected):
      release(batch)
      effects += drop(min(rejected, batch.spans.count), at: now, "the collector rejected a part of a batch")
      pace.succeeded()
      loss?.isOver = true
    case .refused(let reason):
      release(batch)
      effects += drop(batch.spans.count, at: now, reason)
    case .unavailable(let reason, let after):
      batch.failures += 1
      let left = (batch.end ?? now) - now
      // The collector may ask for any wait. The last attempt comes when the batch's time ends.
      let wait = pace.wait(after, most: left > .zero ? left : limits.giveUpAfter, batch.failures, random)
      pace.failed(until: now + wait)
      waiting.insert(batch, at: waiting.firstIndex { $0.failures == 0 } ?? waiting.endIndex)
      effects += dropFailed(at: now, reason)
    }
    return effects + leave(now)
  }

  /// Takes the result of a request with measurements. A failure loses nothing, because measurements are sums
  /// from the beginning, so the next request includes them.
  mutating func measurementsEnded(_ outcome: Outcome, at now: Duration, random: Double) -> [Effect] {
    guard measurements.begun > measurements.ended else { return [] }
    switch outcome {
    case .accepted:
      measurements.ended += 1
      measurementsFailures = 0
      measurementsPace.succeeded()
    case .refused: measurements.ended += 1
    case .unavailable(_, let after):
      measurements.begun -= 1
      hasChanged = true
      measurementsDue = measurementsDue ?? now + limits.delay
      measurementsFailures += 1
      let wait = measurementsPace.wait(after, most: limits.giveUpAfter, measurementsFailures, random)
      measurementsPace.failed(until: now + wait)
    }
    return leave(now)
  }

  /// Sends what is due, and ends what has waited long enough.
  mutating func advance(to now: Duration) -> [Effect] { leave(now) }

  /// Sends everything that waits.
  /// - Parameter limit: How long the caller waits.
  mutating func flush(at now: Duration, within limit: Duration) -> (id: Int, effects: [Effect]) {
    seal()
    if hasChanged { measurementsDue = now }
    lastFlush += 1
    flushes[lastFlush] = Flush(
      batch: lastNumber, measurements: measurements.begun + (hasChanged ? 1 : 0),
      end: now + max(.zero, min(limit, .longest)))
    return (lastFlush, leave(now))
  }

  /// Drops everything that waits or is being sent, and everything that comes later.
  mutating func shutDown(at now: Duration) -> [Effect] {
    isShut = true
    let lost = held.spans
    (filling, waiting, inFlight, held) = (nil, [], [:], (0, 0))
    (hasChanged, measurementsDue) = (false, nil)
    measurements.ended = measurements.begun
    return drop(lost, at: now, "the exporter is shut down") + leave(now)
  }

  /// Closes the batch that is being filled.
  private mutating func seal() {
    guard let batch = filling.take() else { return }
    waiting.append(batch)
  }

  private mutating func leave(_ now: Duration) -> [Effect] {
    var effects: [Effect] = []
    if let filling, filling.began + limits.delay <= now { seal() }
    if pace.isFree(now) {
      let most = pace.isFailing ? 1 : max(1, limits.inFlight)
      while inFlight.count < most, !waiting.isEmpty {
        var batch = waiting.removeFirst()
        if batch.end == nil { batch.end = now + limits.giveUpAfter }
        inFlight[batch.number] = batch
        effects.append(.send(batch))
      }
    }
    if let due = measurementsDue, due <= now, measurements.begun == measurements.ended,
      measurementsPace.isFree(now)
    {
      measurementsDue = nil
      if hasChanged {
        hasChanged = false
        measurements.begun += 1
        effects.append(.sendMeasurements(series))
      }
    }
    effects += endFlushes(now)
    effects += reportRecovery(now)
    if let next = nextDue { effects.append(.wake(next)) }
    return effects
  }

  /// The time at which `advance` must be called; nil if it need not be.
  private var nextDue: Duration? {
    var times = flushes.values.map(\.end)
    if let filling { times.append(filling.began + limits.delay) }
    if let pausedUntil = pace.pausedUntil { times.append(pausedUntil) }
    if let measurementsDue, measurements.begun == measurements.ended {
      times.append(max(measurementsDue, measurementsPace.pausedUntil ?? measurementsDue))
    }
    if let recovery { times.append(recovery) }
    return times.min()
  }

  private mutating func endFlushes(_ now: Duration) -> [Effect] {
    guard !flushes.isEmpty else { return [] }
    let open = inFlight.keys.min() ?? .max
    let first = waiting.reduce(open) { min($0, $1.number) }
    var effects: [Effect] = []
    for (id, flush) in flushes.sorted(by: { $0.key < $1.key }) {
      let isDone = flush.batch < first && flush.measurements <= measurements.ended
      guard isDone || flush.end <= now else { continue }
      flushes[id] = nil
      effects.append(.endFlush(id, isDone))
    }
    return effects
  }

  /// Drops the batches that have failed and whose time has passed.
  private mutating func dropFailed(at now: Duration, _ reason: String) -> [Effect] {
    let lost = waiting.filter { $0.end ?? .longest <= now }
    guard !lost.isEmpty else { return [] }
    waiting.removeAll { $0.end ?? .longest <= now }
    for batch in lost { release(batch) }
    return drop(lost.reduce(0) { $0 + $1.spans.count }, at: now, reason)
  }

  private mutating func release(_ batch: Batch) {
    held.spans -= batch.spans.count
    held.bytes -= batch.bytes
  }

  /// Counts dropped spans. The first ones since the last recovery are reported.
  private mutating func drop(_ count: Int, at now: Duration, _ reason: String) -> [Effect] {
    guard count > 0 else { return [] }
    defer { dropped += count }
    let isNew = loss == nil
    loss = Loss(before: loss?.before ?? dropped, last: now)
    return isNew ? [.report(.dropping(reason: reason))] : []
  }

  /// The time at which the exporter reports that it has recovered, if nothing is dropped until then.
  private var recovery: Duration? {
    guard let loss, loss.isOver, !pace.isFailing, !isShut else { return nil }
    return loss.last + Self.quiet
  }

  private mutating func reportRecovery(_ now: Duration) -> [Effect] {
    guard let recovery, recovery <= now, let loss = loss.take() else { return [] }
    return [.report(.recovered(dropped: dropped - loss.before))]
  }
}

extension OTLPExporter.Limits {
  /// The limits, each time from zero to a hundred years, so that times can be added.
  fileprivate var bounded: Self {
    var limits = self
    limits.delay = max(.zero, min(delay, .longest))
    limits.timeout = max(.zero, min(timeout, .longest))
    limits.giveUpAfter = max(.zero, min(giveUpAfter, .longest))
    return limits
  }
}

extension TraceSpan {
  /// The approximate number of bytes that the span needs in memory and in a request.
  var estimatedSize: Int {
    var size = 320 + name.utf8.count + links.count * 96 + (failure?.utf8.count ?? 0)
    for (name, value) in attributes {
      size += 64 + name.utf8.count
      if case .string(let text) = value { size += text.utf8.count }
    }
    return size
  }
}

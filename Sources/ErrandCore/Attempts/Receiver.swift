#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Chooses where the body of a response goes, by what was asked for, and holds the body.
final class Receiver: HeadReceiver {
  /// The destination of the body of an accepted response.
  enum Target: Sendable {
    case memory
    case file(Download)
    case stream(StreamOpening)
  }

  private enum Held {
    case nothing
    case memory(MemorySink)
    case file
  }

  private let target: Target
  private let request: Request
  private let transfer: Transfer
  private let held = Locked(Held.nothing)
  private let filtering = Locked<FilterSink?>(nil)

  /// The filters of the body that is being received; nil if there are none.
  var filter: FilterSink? { filtering.withLock { $0 } }

  init(_ target: Target, _ request: Request, _ transfer: Transfer) {
    self.target = target
    self.request = request
    self.transfer = transfer
  }

  func sink(for head: ResponseHead) throws -> any BodySink {
    let length = head.announcedLength(to: request.method)
    if let problem = length.problem {
      throw RequestError(
        .invalidResponse, message: problem, status: head.status, fields: head.fields, reachedServer: true)
    }
    if transfer.redirects(request, head) {
      return hold(MemorySink(limit: RequestError.Rejection.prefixLimit, overflow: .enough(head)))
    }
    if case .file(let download) = target, download.mustAskAgain(head) { throw Download.AskAgain() }
    if let rejection = request.options.validator.problem(with: transfer.judged(head)) {
      return hold(MemorySink(limit: RequestError.Rejection.prefixLimit, overflow: .rejected(rejection, head)))
    }
    return try accept(head, head.fields.contains("Content-Encoding") ? nil : length.bytes)
  }

  func goesOut() { transfer.goesOut() }

  var events: ExchangeEvents? { transfer.events }

  /// - Parameter length: The length of the body in bytes, if it is known.
  private func accept(_ head: ResponseHead, _ length: Int64?) throws -> any BodySink {
    var sink: any BodySink
    var (start, total) = (Int64(0), length)
    switch target {
    case .memory:
      let memoryLimit = transfer.memoryLimit(of: request)
      if let total, total > memoryLimit {
        throw MemorySink.tooLarge(memoryLimit, head)
      }
      sink = hold(MemorySink(limit: memoryLimit, overflow: .tooLarge(head)))
    case .file(let download):
      (sink, start, total) = try download.sink(for: head, of: request)
      held.withLock { $0 = .file }
    case .stream(let opening):
      sink = opening.open(head)
    }
    if let progress = transfer.progress {
      progress.receiving(from: start, total: total)
      sink = CountingSink(sink, progress)
    }
    if let events = transfer.capturing, !isMemory { sink = CapturingSink(sink, events) }
    let filters = try request.filters(of: head, beginning: beginning(start))
    if filters.isEmpty { return sink }
    let filter = FilterSink(filters, into: sink)
    filtering.withLock { $0 = filter }
    return filter
  }

  private var isMemory: Bool {
    if case .memory = target { true } else { false }
  }

  /// Returns the part of a file that an earlier response has brought.
  private func beginning(_ start: Int64) -> FilteredResponse.FileBeginning? {
    guard start > 0, case .file(let download) = target else { return nil }
    return FilteredResponse.FileBeginning(path: download.path, length: start)
  }

  private func hold(_ sink: MemorySink) -> MemorySink {
    held.withLock { $0 = .memory(sink) }
    return sink
  }

  /// True if the body went into the file.
  var hasFile: Bool {
    if case .file = held.withLock({ $0 }) { true } else { false }
  }

  /// The head of a response whose body is not delivered.
  var sufficientHead: ResponseHead? {
    if case .memory(let sink) = held.withLock({ $0 }) { sink.head } else { nil }
  }

  /// Returns the body, if it was held in memory.
  func takeMemory() -> Data? {
    guard case .memory(let sink) = held.withLock({ $0 }) else { return nil }
    return sink.take()
  }
}

extension Receiver.Target {
  init(_ destination: Destination) {
    switch destination {
    case .memory: self = .memory
    case .file(let download): self = .file(download)
    case .stream: self = .stream(StreamOpening())
    }
  }
}

/// Reports the bytes that go into another sink.
private final class CountingSink: BodySink {
  private let sink: any BodySink
  private let progress: ProgressHub

  init(_ sink: any BodySink, _ progress: ProgressHub) {
    self.sink = sink
    self.progress = progress
  }

  func write(_ chunk: Data) throws -> SinkSignal {
    let signal = try sink.write(chunk)
    progress.received(Int64(chunk.count))
    return signal
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) { sink.onDrain(handler) }
}

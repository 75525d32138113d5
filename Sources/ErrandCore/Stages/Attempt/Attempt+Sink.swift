import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The choice of the sink of a response's body, by its head and the call's destination.
extension Attempt {
  /// The state of a response while it arrives.
  struct Arrived {
    enum Held {
      case nothing
      case memory(MemorySink)
      case file
    }

    var held = Held.nothing
    /// The sink that counts the body as it is transferred, if its length is known.
    var counted: (sink: any CountedSink, length: Int64)?
    var filter: FilterSink?
    var trailers: HTTPFields?
  }

  /// Takes the trailers of the response, except the fields that must not be trailers.
  func received(_ trailers: HTTPFields) {
    arrived.withLock { $0.trailers = TrailerFields.allowed(trailers) }
    hasTrailers.store(true, ordering: .releasing)
  }

  /// The trailers of the response; nil without trailers.
  var trailers: HTTPFields? {
    // Most responses have none, and need no lock.
    hasTrailers.load(ordering: .acquiring) ? arrived.withLock { $0.trailers } : nil
  }

  func sink(for head: ResponseHead) throws -> any BodySink {
    if request.options.hasStages { tellRace(of: head) }
    context.events?.arrived(head)
    let length = head.announcedLength(to: request.method)
    if let problem = length.problem {
      throw RequestError(
        .invalidResponse, message: problem, status: head.status, fields: head.fields, reachedServer: true)
    }
    if stage.follows(head, of: request) {
      return hold(MemorySink(limit: RequestError.Rejection.prefixLimit, overflow: .enough(head)))
    }
    if head.status == 417, request.fields.contains("Expect") {
      // The transport may have ended the response with its head, without a body.
      if request.body.isReplayable {
        throw ExpectationFailed()
      } else {
        throw MemorySink.HeadIsEnough(head: head)
      }
    }
    if case .file(let download) = context.destination, download.mustAskAgain(head) {
      throw Download.AskAgain()
    }
    if let rejection = request.options.validator.problem(with: context.destination.judged(head)) {
      return hold(MemorySink(limit: rejectedLimit, overflow: .rejected(rejection, head)))
    }
    return try accept(head, length.bytes)
  }

  private var memoryLimit: Int { request.options.memoryLimit ?? stage.defaults.memoryLimit }

  /// The most bytes to hold of a rejected response's body. Another caller of a shared request may accept the
  /// response, and then needs the complete body.
  private var rejectedLimit: Int {
    let prefix = RequestError.Rejection.prefixLimit
    return context.isShared ? max(prefix, memoryLimit) : prefix
  }

  /// - Parameter announced: The length that the head announces, in bytes before decoding.
  private func accept(_ head: ResponseHead, _ announced: Int64?) throws -> any BodySink {
    let download: Download? = if case .file(let download) = context.destination { download } else { nil }
    let asksForRest = download?.hasAskedForRest ?? false
    let range = asksForRest ? nil : try ContentRange.checked(head, of: request, isFile: download != nil)
    var length = announced ?? range?.count
    var transferred = length
    if head.isCoded {
      length = nil
      // Without filters the transport decodes the body, so the announced length does not apply to its bytes.
      if request.options.responseFilters.isEmpty, !request.options.isUndecoded { transferred = nil }
    }

    let own: any CountedSink
    var (start, total) = (Int64(0), length)
    switch (download, opening) {
    case (let download?, _):
      guard head.status.bringsContent(to: request.method) else {
        // A server checks the caller's condition before the range, so a 304 is right for a range request, too.
        if asksForRest, head.status != 304 { throw Download.AskAgain() }
        own = hold(MemorySink(limit: memoryLimit, overflow: .tooLarge(head)))
        break
      }
      let place = try download.place(head, of: request, length: length)
      (own, start, total) = (place.sink, place.start, place.total)
      if asksForRest { transferred = place.length }
      arrived.withLock { $0.held = .file }
    case (nil, let opening?):
      if request.options.hasStages { try claim() }
      // Before the stream is opened, because its caller then asks whether it is stored.
      let reader = StreamSink()
      own = request.options.forwardRecord?.value.tee(reader, head) ?? reader
      opening.open(head, into: reader)
    case (nil, nil):
      if let total, total > memoryLimit { throw MemorySink.tooLarge(memoryLimit, head) }
      if request.options.hasStages { try claim() }
      own = hold(MemorySink(limit: memoryLimit, overflow: .tooLarge(head)))
    }
    return try counted(own, transferred, head, start: start, total: total)
  }

  /// Cancels the other attempt of the request, if there is one and it has not won.
  @inline(never)
  private func claim() throws { try request.options.hedgeLeg?.wins() }

  // Not inlined, because most requests have no second attempt.
  @inline(never)
  private func tellRace(of head: ResponseHead) {
    request.options.hedgeLeg?.responds(with: head, to: request)
  }

  /// Returns the sink for the transport. It passes the body on through the filters, and reports the progress.
  /// - Parameters:
  ///   - length: The length of the body in bytes, as it is transferred; nil if it is not known.
  ///   - start: The number of bytes that are in the file already.
  ///   - total: The length of the complete body in bytes; nil if it is not known.
  private func counted(
    _ own: any CountedSink, _ length: Int64?, _ head: ResponseHead, start: Int64, total: Int64?
  ) throws -> any BodySink {
    var sink: any BodySink = own
    if let progress = context.progress {
      progress.receiving(from: start, total: total)
      sink = ProgressSink(sink, progress)
    }
    if let events = context.events, events.client.bodyLimit > 0 {
      // A body in memory is in the response that listeners get.
      if case .memory = context.destination {} else { sink = CapturingSink(sink, events) }
    }
    let filters = try request.filters(of: head, beginning: beginning(start))
    let filter = filters.isEmpty ? nil : FilterSink(filters, into: sink)
    arrived.withLock { arrived in
      arrived.filter = filter
      if let length { arrived.counted = (filter ?? own, length) }
    }
    return filter ?? sink
  }

  /// Returns the part of a file that an earlier response delivered; nil without such a part.
  private func beginning(_ start: Int64) -> FilteredResponse.FileBeginning? {
    guard start > 0, case .file(let download) = context.destination else { return nil }
    return FilteredResponse.FileBeginning(path: download.path, length: start)
  }

  private func hold(_ sink: MemorySink) -> MemorySink {
    arrived.withLock { $0.held = .memory(sink) }
    return sink
  }

  /// Compares the length of a complete body with the announced length, because not every transport does.
  /// - Returns: The sink with the body's filters; nil if the body has no filters.
  /// - Throws: `RequestError`, if the body is too short or too long.
  func checkWhole() throws(RequestError) -> FilterSink? {
    let (counted, filter) = arrived.withLock { ($0.counted, $0.filter) }
    guard let (sink, length) = counted else { return filter }
    let received = sink.received
    if received < length {
      throw RequestError(
        .connectionLost, message: "the response ended after \(received) of \(length) bytes",
        reachedServer: true)
    }
    if received > length {
      throw RequestError(
        .invalidResponse, message: "the response has \(received) bytes, but it announced \(length)",
        reachedServer: true)
    }
    return filter
  }

  /// True if the body went into the file.
  var hasFile: Bool {
    if case .file = arrived.withLock({ $0.held }) { true } else { false }
  }

  /// The head of a response whose body is not delivered.
  var sufficientHead: ResponseHead? {
    if case .memory(let sink) = arrived.withLock({ $0.held }) { sink.head } else { nil }
  }

  /// Returns the body, if it was held in memory.
  func takeMemory() -> Data? {
    guard case .memory(let sink) = arrived.withLock({ $0.held }) else { return nil }
    return sink.take()
  }
}

/// Passes a body on to another sink, and reports the number of its bytes.
private final class ProgressSink: BodySink {
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

/// Passes a body on to another sink, and captures its beginning for listeners.
private final class CapturingSink: BodySink {
  private let sink: any BodySink
  private let events: CallEvents

  init(_ sink: any BodySink, _ events: CallEvents) {
    self.sink = sink
    self.events = events
    events.captured.withLock { $0 = CapturedBody() }
  }

  func write(_ chunk: Data) throws -> SinkSignal {
    events.captured.withLock { $0.take(chunk, limit: events.client.bodyLimit) }
    return try sink.write(chunk)
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) { sink.onDrain(handler) }
}

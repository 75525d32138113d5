#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One request on the wire, and its answer, whatever that is.
struct Transfer: Sendable {
  /// What came, not validated yet.
  final class Answer {
    let head: ResponseHead
    /// What the validator is shown.
    let judged: ResponseHead
    let metrics: TransferMetrics
    let body: ResponseBody
    /// The length of the body, or nil for a stream.
    let length: Int64?

    init(
      _ result: TransferResult, _ receiver: Receiver, _ body: ResponseBody, length: Int64?
    ) {
      head = result.head
      judged = receiver.judged(result.head)
      metrics = result.metrics
      self.body = body
      self.length = length
    }
  }

  private let run: Run
  private let pipeline: Pipeline
  private let attempt: Int
  private let began: Duration
  private let redirects: Int

  /// - Parameters:
  ///   - began: When the try did, on the client's timeline.
  ///   - redirects: How many it has followed.
  init(_ run: Run, _ pipeline: Pipeline, attempt: Int, began: Duration, redirects: Int) {
    self.run = run
    self.pipeline = pipeline
    self.attempt = attempt
    self.began = began
    self.redirects = redirects
  }

  /// Failures that can come after the head.
  private static let breaksOff: Set<RequestError.Code> = [.timedOut, .connectionLost, .badEncoding]

  /// The timing of an answer that is complete now.
  func timing(_ metrics: TransferMetrics) -> Timing {
    Timing(
      metrics, queue: began - run.started, total: pipeline.timeline.now() - run.started,
      tries: max(run.sent, 1), redirects: redirects)
  }

  func perform(_ request: Request) async throws -> Answer {
    // A request that goes out as it came is not copied.
    guard pipeline.isIntercepted || run.destination.isFile else { return try await performAsIs(request) }
    guard case .file(let download) = run.destination else {
      return try await performAsIs(try prepared(request))
    }
    try download.beginTransfer()
    defer { download.endTransfer() }
    try await download.waitForPart(unless: run.signal)
    return try await performAsIs(try prepared(request))
  }

  private func performAsIs(_ request: Request) async throws -> Answer {
    let upload = try request.body.open(compressed: request.options.compressesBody)
    run.progress?.begin(attempt: attempt, sentTotal: upload.length)
    let target = Receiver.Target(run.destination)
    let receiver = receiver(target, request)
    do {
      // Each of them in a function of its own: a task has to have room for all that a function may need.
      switch target {
      case .memory: return try await inMemory(request, upload, receiver)
      case .file(let download): return try await inFile(download, request, upload, receiver)
      case .stream(let opening): return try await inStream(opening, request, upload, receiver)
      }
    } catch let error as RequestError where Self.breaksOff.contains(error.code) {
      // The rest of a body that nobody wants is not missed, and the head may say when to try again.
      guard let head = receiver.sufficientHead else { throw error }
      return kept(TransferResult(head: head, metrics: TransferMetrics()), receiver)
    } catch let enough as MemorySink.HeadIsEnough {
      return ended(enough, receiver)
    }
  }

  private func inMemory(_ request: Request, _ upload: Upload, _ receiver: Receiver) async throws -> Answer {
    defer { upload.close() }
    return kept(
      try await pipeline.transport.perform(try exchange(request, upload, run.signal, receiver)), receiver)
  }

  private func inFile(
    _ download: Download, _ request: Request, _ upload: Upload, _ receiver: Receiver
  ) async throws -> Answer {
    defer { upload.close() }
    let result = try await settling(download, try exchange(request, upload, run.signal, receiver))
    guard receiver.hasFile else { return kept(result, receiver) }
    try download.checkWhole()
    return Answer(result, receiver, .file(download.part), length: download.length)
  }

  private func inStream(
    _ opening: StreamOpening, _ request: Request, _ upload: Upload, _ receiver: Receiver
  ) async throws -> Answer {
    let signal = StopSignal()
    let exchange: Exchange
    do {
      exchange = try self.exchange(request, upload, signal, receiver)
    } catch {
      upload.close()
      throw error
    }
    switch try await opened(opening, exchange, signal, upload, request) {
    case .opened(let source, let head):
      let result = TransferResult(head: head, metrics: TransferMetrics())
      return Answer(result, receiver, .chunks(ByteStream(source)), length: nil)
    case .ended(let result): return kept(result, receiver)
    }
  }

  private func receiver(_ target: Receiver.Target, _ request: Request) -> Receiver {
    Receiver(
      target: target, request: request, followsRedirects: pipeline.redirects(of: request).limit > 0,
      memoryLimit: request.options.memoryLimit ?? pipeline.configuration.memoryLimit, progress: run.progress,
      transfer: self)
  }

  @inline(never)
  private func exchange(
    _ request: Request, _ upload: Upload, _ signal: StopSignal, _ receiver: Receiver
  ) throws(RequestError) -> Exchange {
    let onWire = try Exchange.Request(
      request, upload,
      timeout: min(request.options.timeout ?? pipeline.configuration.timeout, .longest),
      mayBeRepeated: pipeline.mayBeRepeated(request, run))
    return Exchange(request: onWire, signal: signal, progress: run.progress, receiver: receiver)
  }

  private func prepared(_ request: Request) throws -> Request {
    var request = request
    if pipeline.isIntercepted {
      // What users' code made of it is looked at as closely as what came in.
      try request.makeReady()
    }
    guard case .file(let download) = run.destination else { return request }
    return try download.prepare(request)
  }

  @inline(never)
  private func ended(_ enough: MemorySink.HeadIsEnough, _ receiver: Receiver) -> Answer {
    kept(TransferResult(head: enough.head, metrics: TransferMetrics()), receiver)
  }

  /// The answer of a body that was kept in memory.
  private func kept(_ result: TransferResult, _ receiver: Receiver) -> Answer {
    let data = receiver.takeMemory() ?? Data()
    return Answer(result, receiver, .data(data), length: Int64(data.count))
  }

  private func settling(_ download: Download, _ exchange: Exchange) async throws -> TransferResult {
    let result: TransferResult
    do {
      result = try await pipeline.transport.perform(exchange)
    } catch {
      try await download.settle()
      throw error
    }
    try await download.settle()
    return result
  }

  private enum Opened {
    case opened(ByteStream.Source, ResponseHead)
    case ended(TransferResult)
  }

  /// Lets the transfer run by itself and waits for its head only.
  /// - Parameter call: The transfer's own, so that a stream that is let go ends its transfer and nothing else.
  private func opened(
    _ opening: StreamOpening, _ exchange: Exchange, _ signal: StopSignal, _ upload: Upload, _ request: Request
  ) async throws -> Opened {
    let finalTiming = FinalTiming()
    let link = run.signal.onStop(stopping: signal)
    Task {
      let result: Result<TransferResult, any Error>
      do {
        let done = try await pipeline.transport.perform(exchange)
        finalTiming.value = timing(done.metrics)
        result = .success(done)
      } catch {
        result = .failure(signal.stopped.map(\.error) ?? error)
      }
      run.signal.removeStopHandler(link)
      upload.close()
      opening.end(result) { error in
        (error as? RequestError)?.about(request, pipeline.configuration.secrets) ?? error
      }
    }
    switch try await opening.outcome() {
    case .opened(let sink, let head):
      return .opened(ByteStream.Source(sink: sink, signal: signal, timing: finalTiming), head)
    case .ended(let result): return .ended(result)
    }
  }

  /// The transport would send the request once more by itself, because a kept connection turned out to be closed: that is
  /// a try like any other.
  func claimRepeat(_ request: Request) -> Bool {
    guard run.signal.stopped == nil, pipeline.claimRepeat(request, run) else { return false }
    _ = run.countUsed()
    run.countSent()
    return true
  }
}

extension Transfer.Answer {
  /// The first part of the body, for an error that refuses it.
  var prefix: Data {
    let limit = Receiver.prefixLimit
    switch body {
    case .data(let data): return data.prefix(limit)
    case .chunks: return Data()
    case .file(let url):
      return (try? FileDescriptor(reading: url.path).read(limit, at: 0)) ?? Data()
    }
  }
}

extension Upload {
  fileprivate func close() {
    if case .reader(let reader) = self { reader.close() }
  }
}

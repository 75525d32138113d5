#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One request on the wire, and its response, with any status.
struct Transfer: Sendable {
  private let context: CallContext
  private let stage: AttemptStage
  private let attempt: Int
  private let began: Duration
  private let redirects: Int

  /// - Parameters:
  ///   - began: The time at which the attempt began, on the client's timeline.
  ///   - redirects: The number of redirects that the attempt has followed.
  init(_ context: CallContext, _ stage: AttemptStage, attempt: Int, began: Duration, redirects: Int) {
    self.context = context
    self.stage = stage
    self.attempt = attempt
    self.began = began
    self.redirects = redirects
  }

  /// The failures that can come after the head.
  private static let breaksOff: Set<RequestError.Code> = [.timedOut, .connectionLost, .badEncoding]

  /// The failures of a body that has arrived, and is not what it should be.
  private static let damages: Set<RequestError.Code> = [.integrityFailed, .decryptionFailed, .badEncoding]

  /// Returns the timing of a response that is complete now.
  func timing(_ metrics: TransferMetrics) -> Timing {
    Timing(
      metrics, queue: began - context.started, total: stage.timeline.now() - context.started,
      attempts: max(context.sent, 1), redirects: redirects)
  }

  func perform(_ request: Request) async throws -> Received {
    // A request that goes out unchanged is not copied.
    guard stage.isIntercepted || context.destination.isFile else { return try await performAsIs(request) }
    guard case .file(let download) = context.destination else {
      return try await performAsIs(try prepared(request))
    }
    try download.beginTransfer()
    defer { download.endTransfer() }
    try await download.waitForPart(unless: context.cancellation)
    return try await performAsIs(try prepared(request))
  }

  private func performAsIs(_ request: Request) async throws -> Received {
    let upload = try await request.openUpload(unless: context.cancellation)
    context.progress?.begin(attempt: attempt, sentTotal: upload.length)
    let target = Receiver.Target(context.destination)
    let receiver = receiver(target, request)
    do {
      // A function for each case: a task has to have room for everything that a function may need.
      switch target {
      case .memory: return try await inMemory(request, upload, receiver)
      case .file(let download): return try await inFile(download, request, upload, receiver)
      case .stream(let opening): return try await inStream(opening, request, upload, receiver)
      }
    } catch let error as RequestError where Self.breaksOff.contains(error.code) {
      // The rest of a body that is not delivered is not needed, and the head may say when to retry.
      guard let head = receiver.sufficientHead else { throw error }
      return held(TransferResult(head: head, metrics: TransferMetrics()), receiver)
    } catch let enough as MemorySink.HeadIsEnough {
      return ended(enough, receiver)
    }
  }

  private func inMemory(_ request: Request, _ upload: Upload, _ receiver: Receiver) async throws -> Received {
    defer { upload.close() }
    return held(
      try await performed(try exchange(request, upload, context.cancellation, receiver), receiver),
      receiver)
  }

  private func inFile(
    _ download: Download, _ request: Request, _ upload: Upload, _ receiver: Receiver
  ) async throws -> Received {
    defer { upload.close() }
    let result = try await settling(
      download, try exchange(request, upload, context.cancellation, receiver), receiver)
    guard receiver.hasFile else { return held(result, receiver) }
    try download.checkWhole()
    return Received(result, receiver, .file(download.part), length: download.length)
  }

  private func inStream(
    _ opening: StreamOpening, _ request: Request, _ upload: Upload, _ receiver: Receiver
  ) async throws -> Received {
    let cancellation = CancellationToken()
    let exchange: Exchange
    do {
      exchange = try self.exchange(request, upload, cancellation, receiver)
    } catch {
      upload.close()
      throw error
    }
    switch try await opened(opening, exchange, cancellation, upload, request, receiver) {
    case .opened(let source, let head):
      let result = TransferResult(head: head, metrics: TransferMetrics())
      return Received(result, receiver, .chunks(ByteStream(source)), length: nil)
    case .ended(let result): return held(result, receiver)
    }
  }

  private func receiver(_ target: Receiver.Target, _ request: Request) -> Receiver {
    Receiver(
      target: target, request: request, followsRedirects: stage.redirects(of: request).limit > 0,
      memoryLimit: request.options.memoryLimit ?? stage.defaults.memoryLimit,
      progress: context.progress,
      transfer: self)
  }

  @inline(never)
  private func exchange(
    _ request: Request, _ upload: Upload, _ cancellation: CancellationToken, _ receiver: Receiver
  ) throws(RequestError) -> Exchange {
    let onWire = try Exchange.Request(
      request, upload,
      timeout: min(request.options.timeout ?? stage.defaults.timeout, .longest),
      mayBeRepeated: stage.retries.mayBeRepeated(request, context))
    return Exchange(
      request: onWire, cancellation: cancellation, progress: context.progress, receiver: receiver)
  }

  private func prepared(_ request: Request) throws -> Request {
    var request = request
    if stage.isIntercepted {
      // Interceptors' changes are checked as strictly as the original request.
      try request.makeReady()
    }
    guard case .file(let download) = context.destination else { return request }
    return try download.prepare(request)
  }

  @inline(never)
  private func ended(_ enough: MemorySink.HeadIsEnough, _ receiver: Receiver) -> Received {
    held(TransferResult(head: enough.head, metrics: TransferMetrics()), receiver)
  }

  /// Returns the response whose body was held in memory.
  private func held(_ result: TransferResult, _ receiver: Receiver) -> Received {
    let data = receiver.takeMemory() ?? Data()
    return Received(result, receiver, .data(data), length: Int64(data.count))
  }

  /// Returns when the response is complete, and has passed its filters.
  private func performed(
    _ exchange: Exchange, _ receiver: Receiver, of cancellation: CancellationToken? = nil
  ) async throws -> TransferResult {
    let result = try await (context.transport ?? stage.transport).perform(exchange)
    guard let filter = receiver.filter else { return result }
    try await filter.finish(unless: cancellation ?? context.cancellation)
    return result
  }

  private func settling(
    _ download: Download, _ exchange: Exchange, _ receiver: Receiver
  ) async throws -> TransferResult {
    let result: TransferResult
    do {
      result = try await performed(exchange, receiver)
    } catch {
      // The bytes that are there may be the reason.
      if let error = error as? RequestError, Self.damages.contains(error.code) { download.forgetPart() }
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

  /// Runs the transfer in a task of its own, and waits only for the head.
  /// - Parameter cancellation: The transfer's own, so that releasing the stream ends its transfer and nothing
  ///   else.
  private func opened(
    _ opening: StreamOpening, _ exchange: Exchange, _ cancellation: CancellationToken, _ upload: Upload,
    _ request: Request, _ receiver: Receiver
  ) async throws -> Opened {
    let finalTiming = FinalTiming()
    let link = context.cancellation.onCancel(stopping: cancellation)
    Task {
      let result: Result<TransferResult, any Error>
      do {
        let done = try await performed(exchange, receiver, of: cancellation)
        finalTiming.value = timing(done.metrics)
        result = .success(done)
      } catch {
        result = .failure(cancellation.cause.map(\.error) ?? error)
      }
      context.cancellation.removeCancelHandler(link)
      upload.close()
      opening.end(result) { error in
        (error as? RequestError)?.about(request, stage.secrets) ?? error
      }
    }
    switch try await opening.outcome() {
    case .opened(let sink, let head):
      return .opened(ByteStream.Source(sink: sink, cancellation: cancellation, timing: finalTiming), head)
    case .ended(let result): return .ended(result)
    }
  }

  /// Claims an attempt for a request that the transport would send again by itself, because a pooled
  /// connection turned out to be closed. It counts like any other attempt. Returns false if the call is
  /// cancelled, or if its policy or the retry budget allows no more.
  func claimRepeat(_ request: Request) -> Bool {
    // A signature is for one attempt.
    guard request.options.signingPass?.isSigned != true, context.cancellation.cause == nil,
      stage.retries.claimRepeat(request, context)
    else { return false }
    let events = events
    context.countUsed()
    context.countSent()
    events?.resent()
    return true
  }

  /// Takes the beginning of the body; nil if no listener reads bodies.
  var capturing: CallEvents? {
    guard let events = context.events, events.client.bodyLimit > 0 else { return nil }
    return events
  }

  /// What the transport tells of the transfer; nil if nothing listens.
  var events: ExchangeEvents? {
    context.events.map { ExchangeEvents($0, attempt: context.sent, redirects: redirects) }
  }
}

extension Upload {
  fileprivate func close() {
    if case .reader(let reader) = self { reader.close() }
  }
}

import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One send of a request and its response, before validation. It chooses the sink of the response's body when
/// the head arrives (`Attempt+Sink`).
final class Attempt: Sendable {
  let request: Request
  let context: CallContext
  let stage: AttemptStage
  /// Waits for the head of a response whose body is streamed; nil for other destinations.
  let opening: StreamOpening?
  let arrived = Locked(Arrived())
  let hasTrailers = Atomic(false)
  private let sent: Int
  private let began: Duration
  private let redirects: Int

  /// - Parameters:
  ///   - sent: The number of the attempt in events.
  ///   - began: The time at which the attempt began, on the client's timeline.
  ///   - redirects: The number of redirects that the attempt has followed.
  init(
    _ request: Request, _ context: CallContext, _ stage: AttemptStage, sent: Int, began: Duration,
    redirects: Int
  ) {
    self.request = request
    self.context = context
    self.stage = stage
    self.sent = sent
    self.began = began
    self.redirects = redirects
    opening = if case .stream = context.destination { StreamOpening() } else { nil }
  }

  /// The failures that can occur after the head.
  private static let breaksOff: Set<RequestError.Code> = [.timedOut, .connectionLost, .badEncoding]

  /// The failures of a body that has arrived but is damaged.
  private static let damages: Set<RequestError.Code> = [
    .integrityFailed, .decryptionFailed, .badEncoding, .invalidResponse,
  ]

  /// Sends the request, and passes an accepted response, or a redirect to follow, to the request's filters.
  func examined() async throws -> Response {
    if request.options.responseFilters.isEmpty { return try await response() }
    let response = try await response()
    do {
      try await examine(response)
    } catch {
      if case .chunks(let stream) = response.body { await stream.drop() }
      if case .file(let download) = context.destination { download.forgetPart() }
      throw error
    }
    return response
  }

  private func examine(_ response: Response) async throws {
    let (head, judged) = (response.head, context.destination.judged(response.head))
    guard let url = request.url else { return }
    let isRedirect = stage.follows(head, of: request)
    guard isRedirect || request.options.validator.problem(with: judged) == nil else { return }
    let length =
      context.destination.bodyLength(of: response) ?? head.announcedLength(to: request.method).bytes
    let examined = ExaminedResponse(
      head: head, method: request.method, url: url, fields: request.wireFields, isRedirect: isRedirect,
      mayHaveContent: !isRedirect && head.status.mayHaveBody(to: request.method) && length != 0,
      isRest: judged.status != head.status, date: stage.defaults.date())
    try await context.cancellation.interrupting {
      for filter in self.request.options.responseFilters { try await filter.value.examine(examined) }
    }
  }

  /// Sends the request, and returns its response.
  func response() async throws -> Response {
    let upload =
      request.hasBody ? try await request.openUpload(unless: context.cancellation, context.pins) : .none
    context.progress?.begin(attempt: context.used, sentTotal: upload.length)
    do {
      // Each case has a function, because a task reserves memory for all that a function may need.
      switch context.destination {
      case .memory: return try await inMemory(upload)
      case .file(let download): return try await inFile(download, upload)
      case .stream: return try await inStream(upload)
      }
    } catch let error as RequestError where Self.breaksOff.contains(error.code) {
      // The body is not delivered, so its rest is not needed. The head may say when to retry.
      guard let head = sufficientHead else { throw error }
      return headOnly(head)
    } catch let enough as MemorySink.HeadIsEnough {
      return headOnly(enough.head)
    }
  }

  // MARK: Destinations

  private func inMemory(_ upload: Upload) async throws -> Response {
    defer { upload.close() }
    return held(try await performed(try exchange(upload, context.cancellation)))
  }

  private func inFile(_ download: Download, _ upload: Upload) async throws -> Response {
    defer { upload.close() }
    let result = try await settling(download, try exchange(upload, context.cancellation))
    guard hasFile else { return held(result) }
    try download.checkWhole()
    return response(result, .file(download.part))
  }

  private func settling(_ download: Download, _ exchange: Exchange) async throws -> TransferResult {
    let result: TransferResult
    do {
      result = try await performed(exchange)
    } catch {
      // The bytes in the file may be the cause.
      if hasFile, let error = error as? RequestError, Self.damages.contains(error.code) {
        download.forgetPart()
      }
      try await download.settle()
      throw error
    }
    try await download.settle()
    return result
  }

  /// Runs the transfer in a separate task, and waits only for the head.
  private func inStream(_ upload: Upload) async throws -> Response {
    guard let opening else { preconditionFailure("only a stream is opened") }
    // The token of this transfer alone, so that releasing the stream ends nothing else.
    let cancellation = CancellationToken()
    let exchange: Exchange
    do {
      exchange = try self.exchange(upload, cancellation)
    } catch {
      upload.close()
      throw error
    }
    let end = StreamEnd()
    let link = context.cancellation.onCancel(stopping: cancellation)
    Task {
      let result: Result<TransferResult, any Error>
      do {
        let done = try await performed(exchange, of: cancellation)
        end.set(timing(done.metrics), trailers)
        result = .success(done)
      } catch {
        result = .failure(
          cancellation.cause?.error(reachedServer: context.cancellation.mayHaveSent) ?? error)
      }
      // Before the reader sees the end, so that its next request finds the response in the cache.
      if let record = request.options.forwardRecord?.value {
        await record.endDraft(isWhole: (try? result.get()) != nil, unless: cancellation)
      }
      context.cancellation.removeCancelHandler(link)
      upload.close()
      opening.end(result) { error in
        (error as? RequestError)?.about(request, stage.secrets) ?? error
      }
    }
    switch try await opening.outcome() {
    case .opened(let sink, let head):
      let source = ByteStream.Source(
        sink: sink, cancellation: readerCancellation(sink, cancellation), end: end)
      return response(TransferResult(head: head, metrics: TransferMetrics()), .chunks(ByteStream(source)))
    case .ended(let result): return held(result)
    }
  }

  /// Returns the token that a stream's reader cancels. If the cache wants the whole body, a reader that lets go of the
  /// stream does not end the transfer.
  private func readerCancellation(_ sink: StreamSink, _ cancellation: CancellationToken) -> CancellationToken
  {
    guard let record = request.options.forwardRecord?.value, record.isDrafted, record.finishesAbandonedStreams
    else { return cancellation }
    let reader = CancellationToken()
    _ = reader.onCancel { [weak reader] in
      switch reader?.cause {
      case .cancelled(.streamDropped), .cancelled(.taskCancelled): sink.abandon()
      case let cause?: cancellation.cancel(cause)
      case nil: break
      }
    }
    return reader
  }

  @inline(never)
  private func exchange(
    _ upload: Upload, _ cancellation: CancellationToken
  ) throws(RequestError) -> Exchange {
    let onWire = try Exchange.Request(
      request, upload,
      timeout: min(request.options.timeout ?? stage.defaults.timeout, .longest),
      connectTimeout: (request.options.connectTimeout ?? stage.defaults.connectTimeout)
        .map { min($0, .longest) },
      mayBeRepeated: stage.retries.mayBeRepeated(request, context))
    return Exchange(request: onWire, cancellation: cancellation, of: self)
  }

  /// Performs the exchange, and returns when the response is complete and has passed its filters.
  private func performed(
    _ exchange: Exchange, of cancellation: CancellationToken? = nil
  ) async throws -> TransferResult {
    let transport = context.transport ?? stage.transport
    if !transport.tellsWhenRequestsGoOut { exchange.requestGoesOut() }
    let result = try await transport.perform(exchange)
    guard let filter = try checkWhole() else { return result }
    try await filter.finish(trailers, unless: cancellation ?? context.cancellation)
    return result
  }

  // MARK: Responses

  /// Returns a response that needs no more of its body than the bytes in memory.
  @inline(never)
  private func headOnly(_ head: ResponseHead) -> Response {
    var response = held(TransferResult(head: head, metrics: TransferMetrics()))
    response.isCut = true
    return response
  }

  /// Returns the response whose body was held in memory.
  private func held(_ result: TransferResult) -> Response { response(result, .data(takeMemory() ?? Data())) }

  private func response(_ result: TransferResult, _ body: ResponseBody) -> Response {
    guard let url = request.url else { preconditionFailure("the URL was checked before sending") }
    return Response(
      head: result.head, body: body, url: url, timing: timing(result.metrics), method: request.method,
      secrets: stage.secrets, decoder: stage.defaults.decoder,
      rare: hasTrailers.load(ordering: .acquiring) ? rare : nil)
  }

  // Not inlined, because most responses have none.
  @inline(never)
  private var rare: Boxed<Response.Rare>? { trailers.map { Boxed(Response.Rare(trailers: $0)) } }

  /// Returns the timing of a response that has just been completed.
  private func timing(_ metrics: TransferMetrics) -> Timing {
    Timing(
      metrics, queue: began - context.started, total: stage.timeline.now() - context.started,
      attempts: max(context.sent, 1), redirects: redirects)
  }

  /// Reports the transport's steps to listeners; nil if the client has no listeners.
  var events: ExchangeEvents? {
    context.events.map { ExchangeEvents($0, attempt: sent, redirects: redirects) }
  }
}

extension Destination {
  /// Returns the head for validation. A 206 counts as a 200 if the download itself asked for the rest of its
  /// file.
  func judged(_ head: ResponseHead) -> ResponseHead {
    guard head.status == 206, case .file(let download) = self, download.hasAskedForRest else { return head }
    return ResponseHead(status: 200, fields: head.fields)
  }

  /// Returns the length of the body in bytes; nil for a stream.
  func bodyLength(of response: Response) -> Int64? {
    switch (response.body, self) {
    case (.data(let data), _): Int64(data.count)
    case (.stored(let body), _): body.count
    case (.file, .file(let download)): download.length
    case (.file, _), (.chunks, _): nil
    }
  }
}

extension Upload {
  fileprivate func close() {
    if case .reader(let reader) = self { reader.close() }
  }
}

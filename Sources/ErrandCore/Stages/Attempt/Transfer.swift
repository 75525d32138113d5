#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One request on the wire and its response, before validation.
struct Transfer: Sendable {
  private let context: CallContext
  private let stage: AttemptStage
  private let attempt: Int
  private let sent: Int
  private let began: Duration
  private let redirects: Int

  /// - Parameters:
  ///   - sent: The number of the attempt in events.
  ///   - began: The time at which the attempt began, on the client's timeline.
  ///   - redirects: The number of redirects that the attempt has followed.
  init(
    _ context: CallContext, _ stage: AttemptStage, attempt: Int, sent: Int, began: Duration, redirects: Int
  ) {
    self.context = context
    self.stage = stage
    self.attempt = attempt
    self.sent = sent
    self.began = began
    self.redirects = redirects
  }

  /// The failures that can occur after the head.
  private static let breaksOff: Set<RequestError.Code> = [.timedOut, .connectionLost, .badEncoding]

  /// The failures of a body that has arrived but is damaged.
  private static let damages: Set<RequestError.Code> = [
    .integrityFailed, .decryptionFailed, .badEncoding, .invalidResponse,
  ]

  /// Returns the timing of a response that has just been completed.
  private func timing(_ metrics: TransferMetrics) -> Timing {
    Timing(
      metrics, queue: began - context.started, total: stage.timeline.now() - context.started,
      attempts: max(context.sent, 1), redirects: redirects)
  }

  var progress: ProgressHub? { context.progress }

  /// Returns true if a response is a redirect, and redirects are followed.
  func redirects(_ request: Request, _ head: ResponseHead) -> Bool {
    head.redirectLocation != nil && stage.redirects(of: request).limit > 0
  }

  func memoryLimit(of request: Request) -> Int { request.options.memoryLimit ?? stage.defaults.memoryLimit }

  /// Returns the most bytes to hold of a rejected response's body. Another caller of a shared request may
  /// accept the response, and then needs the complete body.
  func rejectedLimit(of request: Request) -> Int {
    let prefix = RequestError.Rejection.prefixLimit
    return context.isShared ? max(prefix, memoryLimit(of: request)) : prefix
  }

  /// Returns the head for validation. A 206 counts as a 200 if the download itself asked for the rest of its
  /// file.
  func judged(_ head: ResponseHead) -> ResponseHead {
    guard head.status == 206, case .file(let download) = context.destination, download.hasAskedForRest else {
      return head
    }
    return ResponseHead(status: 200, fields: head.fields)
  }

  /// Returns the length of the body in bytes; nil for a stream.
  func bodyLength(of response: Response) -> Int64? {
    switch (response.body, context.destination) {
    case (.data(let data), _): Int64(data.count)
    case (.file, .file(let download)): download.length
    case (.file, _), (.chunks, _): nil
    }
  }

  func perform(_ request: Request) async throws -> Response {
    // Most requests are sent unchanged, and need neither a copy nor further calls.
    guard stage.isIntercepted || context.destination.isFile || !request.options.responseFilters.isEmpty else {
      return try await received(request)
    }
    guard case .file(let download) = context.destination else {
      return try await examined(try stage.isIntercepted ? prepared(request) : request)
    }
    try download.beginTransfer()
    defer { download.endTransfer() }
    try await download.waitForPart(unless: context.cancellation)
    return try await examined(try prepared(request))
  }

  private func examined(_ request: Request) async throws -> Response {
    if request.options.responseFilters.isEmpty { return try await received(request) }
    let response = try await received(request)
    do {
      try await examine(response, to: request)
    } catch {
      if case .chunks(let stream) = response.body { await stream.drop() }
      if case .file(let download) = context.destination { download.forgetPart() }
      throw error
    }
    return response
  }

  /// Passes an accepted response, or a redirect to follow, to the request's filters.
  private func examine(_ response: Response, to request: Request) async throws {
    let (head, judged) = (response.head, judged(response.head))
    guard let url = request.url else { return }
    let isRedirect = redirects(request, head)
    guard isRedirect || request.options.validator.problem(with: judged) == nil else { return }
    let length = bodyLength(of: response) ?? head.announcedLength(to: request.method).bytes
    let examined = ExaminedResponse(
      head: head, method: request.method, url: url, fields: request.wireFields, isRedirect: isRedirect,
      mayHaveContent: !isRedirect && head.status.mayHaveBody(to: request.method) && length != 0,
      isRest: judged.status != head.status, date: stage.defaults.date())
    try await context.cancellation.interrupting {
      for filter in request.options.responseFilters { try await filter.value.examine(examined) }
    }
  }

  private func received(_ request: Request) async throws -> Response {
    let upload =
      request.hasBody ? try await request.openUpload(unless: context.cancellation, context.pins) : .none
    context.progress?.begin(attempt: attempt, sentTotal: upload.length)
    let target = Receiver.Target(context.destination)
    let receiver = Receiver(target, request, self)
    do {
      // Each case has a function, because a task reserves memory for all that a function may need.
      switch target {
      case .memory: return try await inMemory(request, upload, receiver)
      case .file(let download): return try await inFile(download, request, upload, receiver)
      case .stream(let opening): return try await inStream(opening, request, upload, receiver)
      }
    } catch let error as RequestError where Self.breaksOff.contains(error.code) {
      // The body is not delivered, so its rest is not needed. The head may say when to retry.
      guard let head = receiver.sufficientHead else { throw error }
      return headOnly(head, receiver, request)
    } catch let enough as MemorySink.HeadIsEnough {
      return headOnly(enough.head, receiver, request)
    }
  }

  private func inMemory(_ request: Request, _ upload: Upload, _ receiver: Receiver) async throws -> Response {
    defer { upload.close() }
    return held(
      try await performed(try exchange(request, upload, context.cancellation, receiver), receiver),
      receiver, request)
  }

  private func inFile(
    _ download: Download, _ request: Request, _ upload: Upload, _ receiver: Receiver
  ) async throws -> Response {
    defer { upload.close() }
    let result = try await settling(
      download, try exchange(request, upload, context.cancellation, receiver), receiver)
    guard receiver.hasFile else { return held(result, receiver, request) }
    try download.checkWhole()
    return response(result, .file(download.part), request)
  }

  private func inStream(
    _ opening: StreamOpening, _ request: Request, _ upload: Upload, _ receiver: Receiver
  ) async throws -> Response {
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
      return response(result, .chunks(ByteStream(source)), request)
    case .ended(let result): return held(result, receiver, request)
    }
  }

  @inline(never)
  private func exchange(
    _ request: Request, _ upload: Upload, _ cancellation: CancellationToken, _ receiver: Receiver
  ) throws(RequestError) -> Exchange {
    let onWire = try Exchange.Request(
      request, upload,
      timeout: min(request.options.timeout ?? stage.defaults.timeout, .longest),
      connectTimeout: (request.options.connectTimeout ?? stage.defaults.connectTimeout)
        .map { min($0, .longest) },
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

  /// Returns a response that needs no more of its body than the bytes in memory.
  @inline(never)
  private func headOnly(_ head: ResponseHead, _ receiver: Receiver, _ request: Request) -> Response {
    var response = held(TransferResult(head: head, metrics: TransferMetrics()), receiver, request)
    response.isCut = true
    return response
  }

  /// Returns the response whose body was held in memory.
  private func held(_ result: TransferResult, _ receiver: Receiver, _ request: Request) -> Response {
    response(result, .data(receiver.takeMemory() ?? Data()), request)
  }

  private func response(_ result: TransferResult, _ body: ResponseBody, _ request: Request) -> Response {
    guard let url = request.url else { preconditionFailure("the URL was checked before sending") }
    return Response(
      head: result.head, body: body, url: url, timing: timing(result.metrics), method: request.method,
      secrets: stage.secrets, decoder: stage.defaults.decoder)
  }

  /// Performs the exchange, and returns when the response is complete and has passed its filters.
  private func performed(
    _ exchange: Exchange, _ receiver: Receiver, of cancellation: CancellationToken? = nil
  ) async throws -> TransferResult {
    let transport = context.transport ?? stage.transport
    if !transport.tellsWhenRequestsGoOut { goesOut() }
    let result = try await transport.perform(exchange)
    guard let filter = try receiver.checkWhole() else { return result }
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
      // The bytes in the file may be the cause.
      if receiver.hasFile, let error = error as? RequestError, Self.damages.contains(error.code) {
        download.forgetPart()
      }
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

  /// Runs the transfer in a separate task, and waits only for the head.
  /// - Parameter cancellation: The token of this transfer alone, so that releasing the stream ends nothing
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
        result = .failure(
          cancellation.cause?.error(reachedServer: context.cancellation.mayHaveSent) ?? error)
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

  /// Records that bytes of the request may be sent from now on.
  func goesOut() { context.cancellation.markSent() }

  /// Captures the beginning of the body; nil if no listener reads bodies.
  var capturing: CallEvents? {
    guard let events = context.events, events.client.bodyLimit > 0 else { return nil }
    return events
  }

  /// Reports the transport's steps to listeners; nil if the client has no listeners.
  var events: ExchangeEvents? {
    context.events.map { ExchangeEvents($0, attempt: sent, redirects: redirects) }
  }
}

extension Upload {
  fileprivate func close() {
    if case .reader(let reader) = self { reader.close() }
  }
}

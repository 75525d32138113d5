#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One try: the transfer, the redirects it leads to, and the validation of what came.
struct Attempt: Sendable {
  private let number: Int
  private let run: Run
  private let pipeline: Pipeline

  init(_ number: Int, _ run: Run, _ pipeline: Pipeline) {
    self.number = number
    self.run = run
    self.pipeline = pipeline
  }

  func perform(_ request: Request) async throws -> Response {
    let began = pipeline.timeline.now()
    var request = request
    var followed = 0
    var hasAskedAgain = false
    while true {
      try run.call.check()
      let answer: Answer
      do {
        answer = try await transfer(request, began: began, followed: followed)
      } catch is Download.AskAgain where !hasAskedAgain {
        hasAskedAgain = true
        if case .file(let download) = run.destination { download.forgetPart() }
        continue
      }
      switch try pipeline.configuration.redirects.step(
        request, answer.head, followed: followed, secrets: pipeline.configuration.secrets)
      {
      case .follow(let next):
        request = next
        followed += 1
      case .answer:
        return try validated(request, answer, timing(answer.metrics, began: began, redirects: followed))
      }
    }
  }

  private func timing(_ metrics: TransferMetrics, began: Duration, redirects: Int) -> Timing {
    Timing(
      metrics, queue: began - run.started, total: pipeline.timeline.now() - run.started, tries: number,
      redirects: redirects)
  }

  /// What a transfer brought, not judged yet.
  fileprivate struct Answer {
    var head: ResponseHead
    var metrics: TransferMetrics
    var body: ResponseBody
    /// The length of the body, or nil for a stream.
    var length: Int64?
  }

  private func transfer(_ request: Request, began: Duration, followed: Int) async throws -> Answer {
    var request = request
    if case .file(let download) = run.destination { request = try download.prepare(request) }
    let upload = try request.body.open(compressed: request.options.compressesBody)
    run.progress?.begin(attempt: number, sentTotal: upload.length)
    let receiver = Receiver(
      destination: run.destination, request: request,
      followsRedirects: pipeline.configuration.redirects.limit > 0,
      memoryLimit: request.options.memoryLimit ?? pipeline.configuration.memoryLimit, progress: run.progress)
    let exchange = Exchange(
      request: wireRequest(request, upload), call: run.call, progress: run.progress, receiver: receiver)
    switch run.destination {
    case .memory:
      defer { upload.close() }
      let result = try await pipeline.transport.perform(exchange)
      let data = receiver.takeMemory() ?? Data()
      return Answer(result, .data(data), length: Int64(data.count))
    case .file(let download):
      defer { upload.close() }
      let result: TransferResult
      do {
        result = try await pipeline.transport.perform(exchange)
      } catch {
        try await download.settle()
        throw error
      }
      try await download.settle()
      if let data = receiver.takeMemory() { return Answer(result, .data(data), length: Int64(data.count)) }
      return Answer(result, .file(download.part), length: download.length)
    case .stream(let opening):
      switch try await open(opening, exchange, upload, request, began: began, followed: followed) {
      case .opened(let source, let head):
        return Answer(head: head, metrics: TransferMetrics(), body: .chunks(ByteStream(source)), length: nil)
      case .ended(let result):
        let data = receiver.takeMemory() ?? Data()
        return Answer(result, .data(data), length: Int64(data.count))
      }
    }
  }

  private enum Opened {
    case opened(ByteStream.Source, ResponseHead)
    case ended(TransferResult)
  }

  /// Lets the transfer run by itself and waits for its head only.
  private func open(
    _ opening: StreamOpening, _ exchange: Exchange, _ upload: Upload, _ request: Request, began: Duration,
    followed: Int
  ) async throws -> Opened {
    opening.reset()
    let finalTiming = FinalTiming()
    Task {
      let result: Result<TransferResult, any Error>
      do {
        let done = try await pipeline.transport.perform(exchange)
        finalTiming.value = timing(done.metrics, began: began, redirects: followed)
        result = .success(done)
      } catch {
        let error = run.call.stopped.map(\.error) ?? error
        result = .failure((error as? RequestError)?.about(request, pipeline.configuration.secrets) ?? error)
      }
      upload.close()
      if opening.end(result) { run.end() }
    }
    switch try await opening.outcome() {
    case .opened(let sink, let head):
      return .opened(ByteStream.Source(sink: sink, call: run.call, timing: finalTiming), head)
    case .ended(let result): return .ended(result)
    }
  }

  private func validated(_ request: Request, _ answer: Answer, _ timing: Timing) throws -> Response {
    let validator = request.options.validator
    func reject(_ rejection: RequestError.Rejection) -> RequestError {
      var prefix = Data()
      if case .data(let data) = answer.body { prefix = data.prefix(64 << 10) }
      var error = rejection.error(answer.head.status, answer.head.fields, bodyPrefix: prefix)
      error.timing = timing
      return error
    }
    if let rejection = validator.problem(with: answer.head) { throw reject(rejection) }
    guard let url = request.url else { preconditionFailure("checked before it was sent") }
    let response = Response(head: answer.head, body: answer.body, url: url, timing: timing)
    if let rejection = validator.problem(with: response, bodyLength: answer.length) {
      throw reject(rejection)
    }
    return response
  }

  private func wireRequest(_ request: Request, _ upload: Upload) -> Exchange.Request {
    var fields = request.fields
    if let type = request.body.contentType, !fields.contains("Content-Type") {
      fields.append("Content-Type", type)
    }
    if request.options.compressesBody, !request.body.isNone { fields.set("Content-Encoding", "gzip") }
    guard let url = request.url else { preconditionFailure("checked before it was sent") }
    return Exchange.Request(
      method: request.method, url: url, isSecure: request.address.isSecure, fields: fields, upload: upload,
      timeout: min(request.options.timeout ?? pipeline.configuration.timeout, .longest),
      httpVersion: request.options.httpVersion,
      mayBeRepeated: request.method.isIdempotent || fields.contains("Idempotency-Key"))
  }
}

extension Attempt.Answer {
  fileprivate init(_ result: TransferResult, _ body: ResponseBody, length: Int64?) {
    self.init(head: result.head, metrics: result.metrics, body: body, length: length)
  }
}

extension Upload {
  fileprivate func close() {
    if case .reader(let reader) = self { reader.close() }
  }
}

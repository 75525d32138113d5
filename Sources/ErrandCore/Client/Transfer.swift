#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One request on the wire, and its answer, whatever that is.
struct Transfer: Sendable {
  /// What came, not validated yet.
  struct Answer {
    let head: ResponseHead
    /// What the validator is shown.
    let judged: ResponseHead
    let metrics: TransferMetrics
    let body: ResponseBody
    /// The length of the body, or nil for a stream.
    let length: Int64?
  }

  private let run: Run
  private let pipeline: Pipeline
  private let attempt: Int
  private let timing: @Sendable (TransferMetrics) -> Timing

  init(
    _ run: Run, _ pipeline: Pipeline, attempt: Int, timing: @escaping @Sendable (TransferMetrics) -> Timing
  ) {
    self.run = run
    self.pipeline = pipeline
    self.attempt = attempt
    self.timing = timing
  }

  func perform(_ request: Request) async throws -> Answer {
    let request = try prepared(request)
    let upload = try request.body.open(compressed: request.options.compressesBody)
    run.progress?.begin(attempt: attempt, sentTotal: upload.length)
    let configuration = pipeline.configuration
    let opening = StreamOpening()
    let receiver = Receiver(
      destination: run.destination, opening: opening, request: request,
      followsRedirects: configuration.redirects.limit > 0,
      memoryLimit: request.options.memoryLimit ?? configuration.memoryLimit, progress: run.progress)
    func exchange(_ call: Call) -> Exchange {
      Exchange(request: wireRequest(request, upload), call: call, progress: run.progress, receiver: receiver)
    }
    do {
      switch run.destination {
      case .memory:
        defer { upload.close() }
        return kept(try await pipeline.transport.perform(exchange(run.call)), receiver)
      case .file(let download):
        defer { upload.close() }
        let result = try await settling(download, exchange(run.call))
        guard receiver.hasFile else { return kept(result, receiver) }
        return Answer(result, receiver, .file(download.part), length: download.length)
      case .stream:
        let call = Call()
        switch try await opened(opening, exchange(call), call, upload, request) {
        case .opened(let source, let head):
          let result = TransferResult(head: head, metrics: TransferMetrics())
          return Answer(result, receiver, .chunks(ByteStream(source)), length: nil)
        case .ended(let result): return kept(result, receiver)
        }
      }
    } catch let enough as MemorySink.HeadIsEnough {
      return kept(TransferResult(head: enough.head, metrics: TransferMetrics()), receiver)
    }
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
    _ opening: StreamOpening, _ exchange: Exchange, _ call: Call, _ upload: Upload, _ request: Request
  ) async throws -> Opened {
    let finalTiming = FinalTiming()
    let link = run.call.onStop { [run] in if let reason = run.call.stopped { call.stop(reason) } }
    Task {
      let result: Result<TransferResult, any Error>
      do {
        let done = try await pipeline.transport.perform(exchange)
        finalTiming.value = timing(done.metrics)
        result = .success(done)
      } catch {
        let error = call.stopped.map(\.error) ?? error
        result = .failure((error as? RequestError)?.about(request, pipeline.configuration.secrets) ?? error)
      }
      run.call.removeStopHandler(link)
      upload.close()
      if opening.end(result) { run.end() }
    }
    switch try await opening.outcome() {
    case .opened(let sink, let head):
      return .opened(ByteStream.Source(sink: sink, call: call, timing: finalTiming), head)
    case .ended(let result): return .ended(result)
    }
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

extension Transfer.Answer {
  fileprivate init(_ result: TransferResult, _ receiver: Receiver, _ body: ResponseBody, length: Int64?) {
    self.init(
      head: result.head, judged: receiver.judged(result.head), metrics: result.metrics, body: body,
      length: length)
  }

  /// The first part of the body, for an error that refuses it.
  var prefix: Data {
    let limit = Receiver.prefixLimit
    switch body {
    case .data(let data): return data.prefix(limit)
    case .chunks: return Data()
    case .file(let url):
      var start = [UInt8](repeating: 0, count: limit)
      guard let file = try? FileDescriptor(reading: url.path),
        let count = try? unsafe start.withUnsafeMutableBytes({ try unsafe file.read(into: $0, at: 0) })
      else { return Data() }
      return Data(start.prefix(count))
    }
  }
}

extension Upload {
  fileprivate func close() {
    if case .reader(let reader) = self { reader.close() }
  }
}

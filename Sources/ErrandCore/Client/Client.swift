#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends requests. Make one and keep it: its connections are reused, its retry budget is shared.
///
/// Cancel the task that waits for an answer and the request is called off at once: the socket is closed, or the
/// HTTP/2 stream reset. So it is when its scope ends.
public final class Client: Sendable {
  let pipeline: Pipeline

  public init(transport: any Transport, configuration: ClientConfiguration = ClientConfiguration()) {
    pipeline = Pipeline(transport: transport, configuration: configuration)
  }

  /// Sends a request; the answer's body is kept in memory.
  /// - Parameters:
  ///   - scope: What it ends with. See `RequestOwner` for what not to do while waiting.
  ///   - progress: Told of the bytes of both bodies.
  /// - Throws: `RequestError`, or what an interceptor threw.
  @discardableResult
  public func send(
    _ request: Request, in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) async throws -> Response {
    try await perform(request, into: .memory, in: scope, progress: progress)
  }

  /// Sends a request; the answer's body is written to a file, beside it first and moved into place at the end. A failure
  /// leaves the file as it was.
  /// - Parameters:
  ///   - file: Where it goes. The folder must exist.
  ///   - resume: Goes on with what an earlier call of this kind left beside the file, if the server still has the same
  ///     version, and leaves its own part there if it fails.
  ///   - scope: What it ends with.
  ///   - progress: Told of the bytes of both bodies.
  @discardableResult
  public func download(
    _ request: Request, to file: URL, resume: Bool = false, in scope: RequestScope? = nil,
    progress: ProgressHandler? = nil
  ) async throws -> Response {
    let download = Download(to: file, resumes: resume, secrets: secrets)
    do {
      var response = try await perform(request, into: .file(download), in: scope, progress: progress)
      try await download.take(response.body)
      try await download.commit()
      response.body = .file(file)
      return response
    } catch {
      download.abandon()
      throw error
    }
  }

  /// Sends a request; returns when the answer's head is here, and `chunks` brings the body as fast as it is consumed.
  public func stream(
    _ request: Request, in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) async throws -> Response {
    try await perform(request, into: .stream, in: scope, progress: progress)
  }

  /// Starts a request that goes on by itself: a call to wait for, to watch, to call off, or to let others wait for.
  /// - Parameter scope: What it ends with.
  public func start(_ request: Request, in scope: RequestScope? = nil) -> Call {
    let hub = ProgressHub()
    let run = Run(request, pipeline, into: .memory, progress: hub, canRise: true)
    let secrets = secrets
    // Not the request: it holds the calls it waits for, and each of those would hold its own.
    let call = Call(signal: run.signal, urgency: run.urgency, progress: hub) {
      [method = request.method, address = request.address] in
      "\(method) \(address.shown(hiding: secrets))"
    }
    do {
      try pipeline.enter(request, run, scope)
    } catch {
      call.settlement.settle(.failure(error))
      return call
    }
    Task { [pipeline] in
      do {
        call.settlement.settle(.success(try await pipeline.perform(request, run)))
      } catch {
        call.settlement.settle(.failure(error))
      }
    }
    return call
  }

  /// What no description shows and no disk is given.
  package var secrets: Secrets { pipeline.configuration.secrets }

  /// How many requests are on the wire at once. Can be changed at any time: lower limits let those that are there finish,
  /// higher ones let those that wait start at once.
  public var limits: ConcurrencyLimits {
    get { pipeline.slots.limits }
    set { pipeline.slots.limits = newValue }
  }

  /// Ends the client: takes no more requests, lets those in flight finish within `limit`, calls off the rest, and closes
  /// every connection. The transport ends with it: do not share one between clients that end at different times.
  public func shutdown(within limit: Duration = .seconds(10)) async {
    pipeline.inFlight.close()
    let force = Task { [pipeline] in
      try await pipeline.timeline.sleep(limit)
      pipeline.inFlight.stopAll(.cancelled(.clientShutDown))
    }
    await pipeline.inFlight.whenEmpty()
    force.cancel()
    await pipeline.transport.shutdown()
  }

  private func perform(
    _ request: Request, into destination: Destination, in scope: RequestScope?, progress: ProgressHandler?
  ) async throws -> Response {
    let isWatched = progress != nil || request.options.activity != nil
    let run = Run(
      request, pipeline, into: destination, progress: isWatched ? ProgressHub(progress) : nil, canRise: false)
    try pipeline.enter(request, run, scope)
    return try await withTaskCancellationHandler {
      try await pipeline.perform(request, run)
    } onCancel: {
      run.signal.stop(.cancelled(.taskCancelled))
    }
  }
}

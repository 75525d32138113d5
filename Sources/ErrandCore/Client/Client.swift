#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends requests. Make one and keep it: its connections are reused, its retry budget is shared.
///
/// Cancel the task that waits for an answer and the request is called off at once: the socket is closed, or the
/// HTTP/2 stream reset.
public final class Client: Sendable {
  private let pipeline: Pipeline
  private let inFlight = InFlight()

  public init(transport: any Transport, configuration: ClientConfiguration = ClientConfiguration()) {
    pipeline = Pipeline(transport: transport, configuration: configuration)
  }

  /// Sends a request; the answer's body is kept in memory.
  /// - Parameter progress: Told of the bytes of both bodies.
  /// - Throws: `RequestError`, or what an interceptor threw.
  @discardableResult
  public func send(_ request: Request, progress: ProgressHandler? = nil) async throws -> Response {
    try await perform(request, into: .memory, progress: progress)
  }

  /// Sends a request; the answer's body is written to a file, beside it first and moved into place at the end. A failure
  /// leaves the file as it was.
  /// - Parameters:
  ///   - file: Where it goes. The folder must exist.
  ///   - resume: Goes on with what an earlier call of this kind left beside the file, if the server still has the same
  ///     version, and leaves its own part there if it fails.
  ///   - progress: Told of the bytes of both bodies.
  @discardableResult
  public func download(
    _ request: Request, to file: URL, resume: Bool = false, progress: ProgressHandler? = nil
  ) async throws -> Response {
    let download = Download(to: file, resumes: resume)
    do {
      var response = try await perform(request, into: .file(download), progress: progress)
      // An interceptor may have answered by itself.
      if case .data(let data) = response.body { try await download.fill(data) }
      try await download.commit()
      response.body = .file(file)
      return response
    } catch {
      download.abandon()
      throw error
    }
  }

  /// Sends a request; returns when the answer's head is here, and `chunks` brings the body as fast as it is consumed.
  public func stream(_ request: Request, progress: ProgressHandler? = nil) async throws -> Response {
    try await perform(request, into: .stream, progress: progress)
  }

  /// Ends the client: takes no more requests, lets those in flight finish within `limit`, calls off the rest, and closes
  /// every connection. The transport ends with it: do not share one between clients that end at different times.
  public func shutdown(within limit: Duration = .seconds(10)) async {
    inFlight.close()
    let force = Task { [pipeline, inFlight] in
      try await pipeline.timeline.sleep(limit)
      inFlight.stopAll(.cancelled(.clientShutDown))
    }
    await inFlight.whenEmpty()
    force.cancel()
    await pipeline.transport.shutdown()
  }

  private func perform(
    _ request: Request, into destination: Destination, progress: ProgressHandler?
  ) async throws -> Response {
    let run = Run(
      destination: destination, progress: progress.map(ProgressReporter.init),
      started: pipeline.timeline.now(),
      inFlight: inFlight)
    let call = run.call
    try inFlight.add(call)
    return try await withTaskCancellationHandler {
      try await pipeline.perform(request, run)
    } onCancel: {
      call.stop(.cancelled(.taskCancelled))
    }
  }
}

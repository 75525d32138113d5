public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Client {
  /// Uploads a file with a POST, and resumes after an interruption.
  ///
  /// ```swift
  /// let response = try await client.upload(video, to: "https://example.com/videos")
  /// ```
  ///
  /// See ``upload(_:resuming:in:progress:)`` for other methods and header fields.
  /// - Parameters:
  ///   - file: The file, which must not change until the upload has ended.
  ///   - url: A `URL`, a `String` or a `URLPath`.
  ///   - resumption: Whether and how the upload can be resumed. Default: if the server supports it.
  ///   - scope: The scope that the upload ends with.
  ///   - progress: Called with the number of bytes. After an interruption, it continues at the server's offset.
  /// - Returns: The response to the complete upload.
  /// - Throws: `RequestError`, or the error that an interceptor threw.
  @discardableResult
  public func upload(
    _ file: URL, to url: some URLConvertible, resuming resumption: UploadResumption = .automatic,
    in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) async throws -> Response {
    try await upload(.post(url, .file(file)), resuming: resumption, in: scope, progress: progress)
  }

  /// Sends a request with a body of a file or of bytes, and resumes after an interruption: by the IETF's Resumable
  /// Uploads for HTTP (draft-ietf-httpbis-resumable-upload, interop versions 3 to 8) or tus 1.0.
  ///
  /// After an interruption, the server is asked how many bytes it has, and the upload continues there. Attempts are made
  /// as the request's retry policy says, whose count begins again with each attempt that made progress. The policy's
  /// methods do not matter once the server has an upload, because no byte of it counts twice. If the server loses the
  /// upload, a new one is created, unless the lost one may have been complete and the request must not be repeated.
  ///
  /// If the response to the complete upload is lost, the server's response to the question for the offset is returned:
  /// a success without a body.
  ///
  /// The transport of URLSession does not report where the server stores an upload that it has just begun, so that only
  /// ``UploadResumption/tus`` resumes there.
  /// - Parameters:
  ///   - request: The request. Its response must not be shared or cached, and its body not be compressed or encoded.
  ///   - resumption: Whether and how the upload can be resumed. Default: if the server supports it.
  ///   - scope: The scope that the upload ends with.
  ///   - progress: Called with the number of bytes. After an interruption, it continues at the server's offset.
  /// - Returns: The response to the complete upload.
  /// - Throws: `RequestError`; its code is `uploadFailed` if the server contradicts itself. Or the error that an
  ///   interceptor threw.
  @discardableResult
  public func upload(
    _ request: Request, resuming resumption: UploadResumption = .automatic, in scope: RequestScope? = nil,
    progress: ProgressHandler? = nil
  ) async throws -> Response {
    guard resumption.choice != .never, let source = try source(of: request, resumption) else {
      return try await send(request, in: scope, progress: progress)
    }
    let call = try compose(request, in: scope, progress: progress)
    let folder = resumption.folder.map { UploadFolder($0, UploadSession.target(of: call.request), source) }
    var keep: UploadSession.Keep?
    if let folder { keep = { record in try await folder.write(record) } }
    try await folder?.create()
    let record = try await folder?.read()
    let session = UploadSession(call, source, resumption, record: record, date: date, keep: keep)
    return try await withTaskCancellationHandler {
      try await attempts(session, call, resumption)
    } onCancel: {
      call.cancellation.cancel(.cancelled(.taskCancelled))
    }
  }

  /// Removes from the server what has arrived of an upload that was kept in a folder.
  /// - Parameters:
  ///   - request: The request of the upload.
  ///   - folder: The folder of its ``UploadResumption/folder``.
  /// - Returns: False if no such upload is kept.
  /// - Throws: `RequestError`.
  @discardableResult
  public func abandonUpload(_ request: Request, keptIn folder: URL) async throws -> Bool {
    guard let source = try source(of: request, .automatic) else { return false }
    let call = try compose(request)
    let kept = UploadFolder(folder, UploadSession.target(of: call.request), source)
    guard var record = try await kept.read() else { return false }
    record.identity = try source.identity()
    let session = UploadSession(call, source, .automatic, record: record, date: date) {
      try await kept.write($0)
    }
    return try await withTaskCancellationHandler {
      let result: Result<Response, any Error>
      do {
        try await session.remove()
        result = .success(Response(status: 204, url: URL(filePath: "/")))
      } catch { result = .failure(error) }
      _ = try await call.end(with: result, attempts: 1)
      return true
    } onCancel: {
      call.cancellation.cancel(.cancelled(.taskCancelled))
    }
  }

  /// Returns the content of an upload; nil if it must be sent as any request, because it cannot be read from an offset.
  private func source(of request: Request, _ resumption: UploadResumption) throws -> UploadSource? {
    var reason: String?
    let options = request.options
    if options.hasSharedResponse {
      reason = "its response is shared, ignored as a repeat, or cached"
    } else if options.compressesBody || options.bodyCoding != nil {
      reason = "its body is compressed or encoded while it is sent"
    } else if let source = try UploadSource(request.body) {
      return source
    }
    if resumption.choice == .automatic { return nil }
    throw RequestError(
      .unsupported,
      message: "the upload cannot be resumed: \(reason ?? "its body is neither a file nor bytes")",
      reachedServer: false)
  }

  private func attempts(
    _ session: UploadSession, _ call: CompositeCall, _ resumption: UploadResumption
  ) async throws -> Response {
    var (attempt, failures, best) = (0, 0, Int64(0))
    while true {
      attempt += 1
      do {
        let response = try await session.run(attempt: attempt)
        // The upload is complete. A record that is left is only asked about once more.
        try? await session.forget()
        return try await call.end(with: .success(response), attempts: attempt)
      } catch {
        if session.confirmed > best { (best, failures) = (session.confirmed, 0) }
        failures += 1
        do {
          try await pause(after: error, session, call, failures: failures)
        } catch {
          if resumption.isRemovedWhenCancelled, call.cancellation.failure != nil {
            session.removeInBackground()
          }
          return try await call.end(with: .failure(error), attempts: attempt)
        }
      }
    }
  }

  /// Waits until the next attempt.
  /// - Throws: The outcome, if this attempt was the last.
  private func pause(
    after error: any Error, _ session: UploadSession, _ call: CompositeCall, failures: Int
  ) async throws {
    try call.cancellation.check()
    guard let error = error as? RequestError, error.code != .cancelled,
      let wait = call.wait(after: error, failures: failures, mayRepeat: session.canResume)
    else { throw error }
    try await call.pause(wait)
  }
}

import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends a request whose upload can be resumed: continues the upload that an earlier attempt began, maybe in another
/// process.
extension Dispatcher {
  /// Makes one attempt.
  /// - Parameters:
  ///   - request: The request in the form in which the client sends it.
  ///   - opener: Opens the stored body.
  /// - Returns: The result, whether the server has confirmed more bytes than in all attempts before, and whether the last
  ///   request went to another origin.
  func upload(
    _ request: Request, _ opener: StoredBodyOpener, _ stored: StoredRequest, _ resumption: UploadResumption,
    of claimed: ClaimedRow
  ) async -> (result: Result<Response, any Error>, madeProgress: Bool, wentElsewhere: Bool) {
    let (id, attempt, length) = (claimed.row.id, claimed.row.attempts, stored.body.length)
    let source = UploadSource(
      length: length, name: stored.options.resumption?.name, key: id.rawValue,
      // The content of a stored request never changes.
      identity: UploadRecord.Identity(size: length, stamp: id.rawValue),
      work: configuration.fileWork.ofUploads,
      start: { try opener.open() })
    do {
      let kept = try await KeptUpload(of: claimed, length: length, in: store, storage)
      let call = try client.compose(request) { [hub] in hub.report($0, of: id) }
      let session = UploadSession(
        call, source, resumption, record: kept.earlier.record, date: configuration.date,
        keep: { try await kept.keep($0) },
        check: { [self] in
          // The machine may have slept, or the content took long to read, and another owner may have the row.
          if !holds(claimed.lease) { throw KeptUpload.lost }
        },
        allowsOtherOrigins: stored.options.uploadMayChangeOrigin)
      let result = await withTaskCancellationHandler {
        await Self.result {
          try await call.end(with: Self.result { try await session.run(attempt: attempt) }, attempts: attempt)
        }
      } onCancel: {
        call.cancellation.cancel(.cancelled(.taskCancelled))
      }
      return (result, session.confirmed > kept.earlier.best, session.wentElsewhere)
    } catch {
      return (.failure(error), false, false)
    }
  }

  private static func result(of work: () async throws -> Response) async -> Result<Response, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
  }
}

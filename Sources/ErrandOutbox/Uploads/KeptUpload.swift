import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps the upload of one attempt in the store.
final class KeptUpload: Sendable {
  private let store: any OutboxStore
  private let storage: RequestStorage
  private let lease: Lease
  private let state: Locked<StoredUpload>
  /// The upload that earlier attempts left.
  let earlier: StoredUpload

  /// Reads the upload that earlier attempts left.
  /// - Throws: `RequestError` with a `StoreAway`, if the store cannot be read.
  init(of claimed: ClaimedRow, length: Int64, in store: any OutboxStore, _ storage: RequestStorage)
    async throws
  {
    let id = claimed.row.id
    var upload = StoredUpload(attempt: claimed.row.attempts, length: length)
    let kept: Data?
    do { kept = try await store.uploads(of: [id]).first ?? nil } catch { throw Self.away(error) }
    if let kept = storage.upload(kept, of: id) { (upload.best, upload.record) = (kept.best, kept.record) }
    (self.store, self.storage, lease) = (store, storage, claimed.lease)
    earlier = upload
    state = Locked(upload)
  }

  /// Stores the upload's record before its next bytes go out.
  /// - Throws: `RequestError` with a `StoreAway`, if the store cannot be written, or another owner has the request.
  func keep(_ record: UploadRecord?) async throws {
    let (upload, madeProgress) = state.withLock { state in
      let confirmed = record?.confirmed ?? 0
      let madeProgress = confirmed > state.best
      state.record = record
      state.best = max(state.best, confirmed)
      return (state, madeProgress)
    }
    let isKept: Bool
    do {
      isKept = try await store.keep(
        storage.wrapped(upload, of: lease.id), madeProgress: madeProgress, of: lease)
    } catch {
      throw Self.away(error)
    }
    Failpoint.hit(.afterUploadKept)
    if !isKept { throw Self.lost }
  }

  /// The error of an attempt whose request another owner may have.
  static var lost: RequestError { away(StoreAway(.process, "another owner has the request")) }

  /// Returns the error of an attempt that ended because of the store: the request is not at fault.
  private static func away(_ error: any Error) -> RequestError {
    let isClosed = (error as? OutboxError)?.code == .closed
    let cause = error as? StoreAway ?? StoreAway(isClosed ? .process : .store, "\(error)")
    return RequestError(
      .bodyFailed, message: "the progress of the upload cannot be stored: \(cause)", reachedServer: false,
      underlying: cause)
  }
}

import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache in a folder, one file for each response. The responses outlive the process; other
/// processes may use the same folder at the same time.
///
/// A response is written whole or not at all, whenever the process or the machine ends. A file that has been
/// damaged since is detected, removed, and reported as a problem. The least recently used responses are
/// evicted first; across processes, their order is known to the minute.
///
/// All file work runs on queues of the store's own, reads and writes on separate ones. A full disk or a
/// folder that cannot be written makes `write` throw a `FileError`, and leaves the cached responses as they
/// were.
public final class DiskResponseCache: ResponseCache {
  private let folder: CacheFolder
  // A read does not wait until another call's write is on the disk.
  private let reading = DispatchQueue(label: "errand.cache.read")
  private let writing = DispatchQueue(label: "errand.cache.write")

  /// Creates the cache without touching the disk: the folder is made by the first write.
  ///
  /// - Parameters:
  ///   - folder: A folder of the store's own. If it is missing it is made, accessible to this user only.
  ///   - limit: The most bytes of all cached files together, for up to two processes; each further process
  ///     may add a sixteenth. The part file that is being written comes on top. Eviction begins at seven
  ///     eighths of the limit, which is also the most that one response may take. Default: 100 MiB.
  ///   - onProblem: Called with each problem found in the files, on a queue of the store's own.
  public convenience init(
    folder: URL, limit: Int = 100 << 20,
    onProblem: @escaping @Sendable (CacheFileProblem) -> Void = { _ in }
  ) {
    self.init(folder: folder, limit: limit, date: { Date() }, onProblem: onProblem)
  }

  init(
    folder: URL, limit: Int, date: @escaping @Sendable () -> Date,
    onProblem: @escaping @Sendable (CacheFileProblem) -> Void
  ) {
    self.folder = CacheFolder(path: folder.path, limit: limit, date: date, report: onProblem)
  }

  public func salt() async throws -> Data {
    try await perform(on: writing) { [folder] in try folder.salt() }
  }

  public func read(_ key: CacheKey) async throws -> CachedResponse? {
    try await perform(on: reading) { [folder] in folder.read(key) }
  }

  public func write(_ response: CachedResponse, under key: CacheKey) async throws {
    try await perform(on: writing) { [folder] in try folder.write(response, under: key) }
  }

  public func remove(_ key: CacheKey) async throws {
    try await perform(on: writing) { [folder] in try folder.remove(key) }
  }

  public func list() async throws -> [CacheEntry] {
    try await perform(on: reading) { [folder] in try folder.list() }
  }

  public func clear() async throws {
    try await perform(on: writing) { [folder] in try folder.clear() }
  }

  private func perform<Value: Sendable>(
    on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}

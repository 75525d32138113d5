import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A response cache in a folder, with one file for each response. The responses outlive the process, and
/// other processes may use the same folder at the same time.
///
/// A response is written whole or not at all, even if the process stops. A file that is damaged later, or that a power
/// failure cut short, is detected, removed and reported as a problem. The least recently used responses are
/// evicted first, and a response that was never read counts as used an hour before it was written. Across processes, the
/// order is known to the minute.
///
/// All file work runs on dedicated queues, one for reads and one for writes. If the disk is full or the
/// folder cannot be written, `write` throws a `FileError`, and the cached responses stay as they were.
public final class DiskResponseCache: ResponseCache {
  private let folder: CacheFolder
  // With separate queues, a read does not wait until another call's write is on the disk.
  private let reading = DispatchQueue(label: "errand.cache.read")
  private let writing = DispatchQueue(label: "errand.cache.write")
  private let listing = DispatchQueue(label: "errand.cache.list")

  /// Creates the cache without touching the disk. The first write creates the folder.
  ///
  /// - Parameters:
  ///   - folder: A folder that only caches use. If it is missing, it is created, accessible to this user
  ///     only.
  ///   - limit: The maximum size of all cached files together in bytes, for up to two processes. Each further
  ///     process may add a sixteenth, and the part file that is being written comes on top. Eviction begins
  ///     at seven eighths of the limit, which is also the maximum size of one response. Default: 100 MiB.
  ///   - onProblem: Called with each problem found in the files, on one of the cache's queues.
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

  /// Returns the folder's salt, which the first call writes to disk.
  /// - Throws: `FileError`, if the salt cannot be read or written.
  public func salt() async throws -> Data {
    // A read does not wait for another call's write, so neither does a known salt.
    if let known = try await perform(on: reading, { [folder] in try folder.knownSalt() }) { return known }
    return try await perform(on: writing) { [folder] in try folder.salt() }
  }

  /// Returns the cached response of this key; nil if the cache has none, or its file is damaged or
  /// unreadable.
  public func read(_ key: CacheKey) async throws -> CachedResponse? {
    try await perform(on: reading) { [folder] in folder.read(key) }
  }

  /// Returns the cached responses of one URL; nil for those that are missing, damaged or unreadable.
  public func readVariants(of key: CacheKey) async throws -> [CachedResponse?] {
    try await perform(on: reading) { [folder] in
      let base = CacheFileName.of(key.variant(0))
      var found: [CachedResponse?] = []
      for number in CacheKey.variants {
        found.append(
          folder.read(key.variant(number), named: CacheFileName.variant(number, of: base), isWhole: false))
        // A response that every request selects is the only one of its URL.
        if let first = found[0], first.rules.vary.names.isEmpty { break }
      }
      return found
    }
  }

  /// Caches a response. If the limit is exceeded, responses are evicted in the background.
  /// - Throws: `FileError`, if the file cannot be written, or a file that Errand did not write has its name.
  public func write(_ response: CachedResponse, under key: CacheKey) async throws {
    try await perform(on: writing) { [folder] in try folder.write(response, under: key) }
  }

  /// Removes a response, if there is one.
  /// - Throws: `FileError`, if its file cannot be removed.
  public func remove(_ key: CacheKey) async throws {
    try await perform(on: writing) { [folder] in try folder.remove(key) }
  }

  /// Returns all entries, in no particular order. Damaged files are removed, and left out.
  /// - Throws: `FileError`, if the folder cannot be read.
  public func list() async throws -> [CacheEntry] { try await listResponses().map(\.entry) }

  /// Returns all responses without their bodies, in no particular order. They do not count as used.
  package func listResponses() async throws -> [ListedResponse] {
    // A scan removes files, so the list waits for it. Reads and writes do not.
    try await perform(on: listing) { [folder] in
      folder.endScan()
      return try folder.list()
    }
  }

  /// Removes all responses. Tries to remove every file before it throws.
  /// - Throws: `FileError`, if a file cannot be removed or the folder cannot be read.
  public func clear() async throws {
    try await perform(on: writing) { [folder] in try folder.clear() }
  }

  /// Waits until no file has to be evicted any more. A program that ends soon calls it, so that its cache does not grow
  /// from run to run.
  package func endScan() async {
    try? await perform(on: writing) { [folder] in folder.endScan() }
  }

  private func perform<Value: Sendable>(
    on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result(catching: work)) }
    }
  }
}

extension DiskResponseCache: DraftingCache {
  package var largestResponse: Int { folder.largest }

  package func draft(_ response: CachedResponse, under key: CacheKey) throws -> any CacheDraft {
    DiskDraft(try folder.begin(response, under: key, isStreamed: true), in: folder, on: writing)
  }
}

/// A response whose body is written to its part file while it arrives.
private final class DiskDraft: CacheDraft {
  private let part: CacheFolder.Part
  private let folder: CacheFolder
  private let queue: DispatchQueue
  private let file: FileSink

  init(_ part: CacheFolder.Part, in folder: CacheFolder, on queue: DispatchQueue) {
    self.part = part
    self.folder = folder
    self.queue = queue
    let error = RequestError(
      .bodyTooLarge, message: "the response is too large for the cache", reachedServer: true)
    file = FileSink(
      file: part.file, offset: part.start, limit: FileSink.Limit(bytes: Int64(folder.largest), error: error),
      isChecked: true)
  }

  var sink: any BodySink { file }

  func commit() async throws {
    do {
      let end = try await file.finish()
      let checksum = file.checksum
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [folder, part] in
          continuation.resume(
            with: Result { try folder.commit(part, bodyLength: end - part.start, checksum) })
        }
      }
    } catch {
      abandon()
      throw error
    }
  }

  func abandon() { FileDescriptor.remove(part.file.path) }
}

import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps answers in a folder, one file for each. They outlive the process; other processes may use the same folder at the
/// same time.
///
/// An answer is written whole or not at all, whenever the process or the machine ends, and a file that has been damaged
/// since is found out, removed, and reported as a problem. The least recently used leave first; which ones those are is
/// known across processes to the minute.
///
/// All file work is done on queues of the store's own, that of reading apart from that of writing. A full disk or a folder
/// that cannot be written is a `FileError` from `write`, and leaves what is kept as it was.
public final class DiskAnswerStore: AnswerStore {
  private let folder: AnswerFolder
  // Reading does not wait until somebody's writing is on the disk.
  private let reading = DispatchQueue(label: "errand.answers.read")
  private let writing = DispatchQueue(label: "errand.answers.write")

  /// Touches nothing yet: the folder is made by the first write.
  ///
  /// - Parameters:
  ///   - folder: A folder of the store's own. If it is missing it is made, for this user only.
  ///   - limit: The most bytes of all kept files together, for up to two processes; each further one may add a sixteenth.
  ///     The part that is written at the moment comes on top. Seven eighths are used before anything has to go, and that
  ///     is also the most that one answer may take. Default: 100 MiB.
  ///   - onProblem: Is told what was wrong with files; on a queue of the store's.
  public convenience init(
    folder: URL, limit: Int = 100 << 20,
    onProblem: @escaping @Sendable (AnswerStoreProblem) -> Void = { _ in }
  ) {
    self.init(folder: folder, limit: limit, date: { Date() }, onProblem: onProblem)
  }

  init(
    folder: URL, limit: Int, date: @escaping @Sendable () -> Date,
    onProblem: @escaping @Sendable (AnswerStoreProblem) -> Void
  ) {
    self.folder = AnswerFolder(path: folder.path, limit: limit, date: date, report: onProblem)
  }

  public func salt() async throws -> Data {
    try await perform(on: writing) { [folder] in try folder.salt() }
  }

  public func read(_ key: AnswerKey) async throws -> KeptAnswer? {
    try await perform(on: reading) { [folder] in folder.read(key) }
  }

  public func write(_ answer: KeptAnswer, under key: AnswerKey) async throws {
    try await perform(on: writing) { [folder] in try folder.write(answer, under: key) }
  }

  public func remove(_ key: AnswerKey) async throws {
    try await perform(on: writing) { [folder] in try folder.remove(key) }
  }

  public func list() async throws -> [KeptEntry] {
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

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of a store on disk. Everything here blocks.
///
/// Others may read and write the same folder at any moment, so nothing is taken for granted: a file that has gone is a miss,
/// and a name that is found may be another file's by the time it is opened. Nobody ever waits for another process.
final class AnswerFolder: Sendable {
  let path: String
  private let usage: Locked<DiskUsageState>
  private let date: @Sendable () -> Date
  let report: @Sendable (AnswerStoreProblem) -> Void

  init(
    path: String, limit: Int, date: @escaping @Sendable () -> Date,
    report: @escaping @Sendable (AnswerStoreProblem) -> Void
  ) {
    self.path = path
    self.date = date
    self.report = report
    usage = Locked(DiskUsageState(limit: limit))
  }

  func read(_ key: AnswerKey) -> KeptAnswer? {
    let name = AnswerFileName.of(key)
    return examine(name) { file in
      guard file.key == key else { throw AnswerFileFault.foreign }
      let (answer, stamp, now) = (try file.answer(), try file.file.status().modified, date())
      if usage.withLock({ $0.used(name, stamp: stamp, at: now) }) { file.file.stamp(now) }
      return answer
    }
  }

  func write(_ answer: KeptAnswer, under key: AnswerKey) throws {
    let name = AnswerFileName.of(key)
    let start = try AnswerFile.start(of: answer, under: key)
    let size = start.count + answer.data.count
    guard usage.withLock({ size <= $0.largest }) else { return try remove(name) }
    let now = date()
    try place(as: name) { part in
      try part.write(start, at: 0)
      try part.write(answer.data, at: Int64(start.count))
      part.stamp(now)
    } move: { part throws(FileError) in
      try FileDescriptor.move(part, to: file(name))
    }
    if usage.withLock({ $0.wrote(name, size: size, at: now) }) { makeRoom(beside: name) }
  }

  func remove(_ key: AnswerKey) throws { try remove(AnswerFileName.of(key)) }

  func list() throws -> [KeptEntry] {
    try names().filter(AnswerFileName.isAnswer).compactMap { name in
      examine(name) { file in
        guard AnswerFileName.of(file.key) == name, let url = URL(string: file.head.url) else {
          throw AnswerFileFault.foreign
        }
        return KeptEntry(
          key: file.key, status: Status(file.head.status), url: url,
          date: Date(timeIntervalSinceReferenceDate: file.head.date), size: Int(file.length))
      }
    }
  }

  /// Tries them all before it throws.
  func clear() throws {
    let names = try names()
    sweep(names)
    var failure: (any Error)?
    for name in names where AnswerFileName.isAnswer(name) {
      do { try remove(name) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Opens an answer's file. One that is none is removed and reported.
  private func examine<Result>(_ name: String, _ body: (AnswerFile) throws -> Result) -> Result? {
    let path = file(name)
    var open: FileDescriptor?
    do {
      let file = try FileDescriptor(reading: path)
      open = file
      // A sparse file is as long as it says, and would be read into memory before any digest is checked.
      guard try file.length() <= usage.withLock({ $0.largest }) else {
        drop(name, file)
        return nil
      }
      return try body(AnswerFile(file))
    } catch let fault as AnswerFileFault {
      drop(name, open)
      report(AnswerStoreProblem(path: path, fault))
    } catch let error as FileError {
      if error.isMissing { return nil }
      report(AnswerStoreProblem(path: path, reason: .unreadable(error)))
    } catch {
      report(AnswerStoreProblem(path: path, reason: .unreadable(FileError(.read, path, "\(error)"))))
    }
    return nil
  }

  /// Removes what was found to be no answer, unless an answer has taken its name since.
  private func drop(_ name: String, _ open: FileDescriptor?) {
    guard let found = try? open?.status(), let current = FileDescriptor.status(of: file(name)),
      current.isSameFile(as: found)
    else { return }
    discard(name)
  }

  private func discard(_ name: String) {
    do {
      try remove(name)
    } catch {
      report(AnswerStoreProblem(path: file(name), reason: .unremovable(error)))
    }
  }

  private func remove(_ name: String) throws(FileError) {
    usage.withLock { $0.removed(name) }
    guard unsafe unlink(file(name)) != 0 else { return }
    let error = FileError(.write, file(name))
    if !error.isMissing { throw error }
  }

  /// Nothing, if there is no folder.
  private func names() throws(FileError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      // By the error, for another process may make the folder right now.
      if (error as? CocoaError)?.code == .fileReadNoSuchFile { return [] }
      throw FileError(.read, path, "\(error)")
    }
  }

  private func makeRoom(beside spared: String) {
    do {
      let names = try names()
      sweep(names)
      let files = names.compactMap { name -> DiskUsageState.File? in
        guard AnswerFileName.isAnswer(name), let status = FileDescriptor.status(of: file(name)),
          status.isRegular
        else { return nil }
        return DiskUsageState.File(name: name, size: status.size, used: status.modified)
      }
      let now = date()
      for name in usage.withLock({ $0.victims(among: files, sparing: spared, at: now) }) { discard(name) }
    } catch {
      report(AnswerStoreProblem(path: path, reason: .unreadable(error)))
    }
  }

  /// Removes parts whose writers have died.
  private func sweep(_ names: [String]) {
    for name in names where AnswerFileName.isPart(name) {
      guard let part = try? FileDescriptor(reading: file(name)), part.claim() else { continue }
      FileDescriptor.remove(part.path)
    }
  }
}

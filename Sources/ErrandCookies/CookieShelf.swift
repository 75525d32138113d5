import Dispatch
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cookies of one identity, in memory or in a file.
///
/// A change takes effect at once, and is written on the store's queue. Before each use, the file is read if
/// another process has replaced it.
final class CookieShelf: Sendable {
  private let state: Locked<CookieShelfState>
  private let file: CookieFile?
  private let date: @Sendable () -> Date
  private let report: @Sendable (CookieFileProblem) -> Void
  private let queue: DispatchQueue

  init(_ file: CookieFile?, _ settings: CookieSettings) {
    self.file = file
    date = settings.date
    report = settings.report
    queue = settings.queue
    state = Locked(
      CookieShelfState(
        CookieList(settings.limits, settings.suffixes), hasFile: file != nil,
        keepsSessionCookies: settings.keepsSessionCookies))
  }

  /// Calls `body` under the shelf's lock. Returns nil if the shelf is closed.
  func use<Result: Sendable>(_ body: @Sendable (inout CookieShelfState) -> Result) -> Result? {
    refresh()
    return state.withLock { state in state.isClosed ? nil : body(&state) }
  }

  /// Makes a change. Returns nil if the shelf is closed.
  /// - Parameter schedules: True to schedule a write; false if the caller calls `flush`.
  func change(_ change: CookieChange, schedules: Bool) -> Void? {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.apply(change) }
      return !state.isClosed
    }
    guard isOpen else { return nil }
    if schedules { schedule() }
    return ()
  }

  /// Closes the shelf and returns true if nothing would be lost with it.
  func closeIfIdle(at now: Date) -> Bool { state.withLock { $0.closeIfIdle(at: now) } }

  /// The names of the cookies, without reading the file.
  var names: [String] { state.withLock { $0.jar.entries.map(\.cookie.shownName) } }

  /// Returns when all changes made before are in the file.
  /// - Throws: `FileError`, if they cannot be written.
  func flush() async throws {
    guard file != nil else { return }
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.write() }) }
    }
  }

  /// Removes files that were set aside, and files of dead processes. They may contain cookies, too.
  /// - Throws: `FileError`, if a file cannot be removed.
  func removeLeftovers() async throws {
    guard let file else { return }
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try file.removeLeftovers() }) }
    }
  }

  private func schedule() {
    guard state.withLock({ $0.schedule() }) else { return }
    queue.async {
      do {
        try self.write()
      } catch {
        self.report(error)
      }
    }
  }

  /// Reads the file if it was replaced.
  /// - Parameter repairs: True to schedule a repair of a file that cannot be read.
  private func refresh(repairs: Bool = true) {
    guard let file else { return }
    // If other processes keep writing it, the last content that was read is good enough.
    for _ in 0..<3 {
      let status = file.status
      let (isCurrent, generation) = state.withLock { ($0.stamp.isStill(status), $0.generation) }
      if isCurrent { return }
      do {
        if adopt(try file.load(), generation) { return }
      } catch {
        // The queue reads it again, sets it aside if it is damaged, and reports it.
        let stamp: CookieShelfState.Stamp? = error is CookieFileFault ? status.map { .file($0) } : nil
        if state.withLock({ $0.fail(stamp) }), repairs { schedule() }
        return
      }
    }
  }

  /// Takes over the contents of the file.
  /// - Parameter generation: The state's generation before the file was read; nil if no other writer was
  ///   possible.
  private func adopt(_ found: CookieFile.Contents?, _ generation: Int?) -> Bool {
    let now = date()
    return state.withLock { state in
      state.adopt(
        found?.entries ?? [], stamp: found.map { .file($0.status) } ?? .missing, format: found?.format,
        generation: generation ?? state.generation, at: now)
    }
  }

  /// Writes the changes that the file does not have. Runs on the queue.
  private func write() throws {
    guard let file, state.withLock({ $0.beginWrite() }) else { return }
    // Most changes concern session cookies, which the file does not have.
    refresh(repairs: false)
    let now = date()
    if state.withLock({ $0.commitUnwritten(at: now) }) { return }
    // No lock or draft is created beside a file that cannot be used.
    if state.withLock({ $0.isTroubled }), try file.isForeign { throw file.foreign }
    var problem: CookieFileProblem?
    defer { if let problem { report(problem) } }
    try file.locked(within: state.withLock { $0.awaitLock(CookieFile.patience) }) {
      state.withLock { $0.hasLock() }
      var status = file.status
      if !state.withLock({ $0.stamp.isStill(status) && !$0.isTroubled }) {
        let found = try reload(file, &problem)
        status = found?.status
        _ = adopt(found, nil)
      }
      let (draft, stamp, format) = state.withLock { ($0.draft(at: now), $0.stamp, $0.format) }
      let written = try draft.entries.map { try file.replace(with: $0, in: format, after: status) }
      state.withLock { $0.commit(draft, stamp: written ?? stamp) }
    }
  }

  /// Reads the file, which is locked. Sets a damaged file of Errand aside.
  private func reload(_ file: CookieFile, _ problem: inout CookieFileProblem?) throws -> CookieFile.Contents?
  {
    do {
      return try file.load()
    } catch CookieFileFault.foreign {
      state.withLock { _ = $0.fail(nil) }
      throw file.foreign
    } catch let fault as CookieFileFault {
      problem = CookieFileProblem(file, fault, setAside: try file.setAside())
      return nil
    } catch {
      state.withLock { _ = $0.fail(nil) }
      throw error
    }
  }

  private func report(_ error: any Error) {
    guard let file else { return }
    let error = error as? FileError ?? FileError(.write, file.path, "\(error)")
    let isTroubled = state.withLock { $0.isTroubled }
    report(CookieFileProblem(path: file.path, reason: isTroubled ? .unreadable(error) : .unwritten(error)))
  }
}

extension CookieFileProblem {
  fileprivate init(_ file: CookieFile, _ fault: CookieFileFault, setAside place: String) {
    path = file.path
    reason =
      switch fault {
      case .damaged, .foreign: .damaged(setAside: place)
      case .otherVersion(let version): .otherVersion(version, setAside: place)
      }
  }
}

import Dispatch

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

/// A stored response without its body, as a list has it.
package struct ListedResponse: Sendable {
  package let entry: CacheEntry
  package let response: CachedResponse
  /// The length of the body, in bytes.
  package let bodyLength: Int64
}

/// The folder of a store on disk. All its functions block, and none waits for another process.
///
/// Other processes may read and write the same folder at any moment. A missing file is therefore a miss, and
/// a name may refer to another file by the time it is opened.
final class CacheFolder: Sendable {
  let path: String
  private let usage: Locked<DiskUsageState>
  private let scans = DispatchQueue(label: "errand.cache.scan")
  private let date: @Sendable () -> Date
  let report: @Sendable (CacheFileProblem) -> Void

  init(
    path: String, limit: Int, date: @escaping @Sendable () -> Date,
    report: @escaping @Sendable (CacheFileProblem) -> Void
  ) {
    self.path = path
    self.date = date
    self.report = report
    usage = Locked(DiskUsageState(limit: limit))
  }

  func read(_ key: CacheKey) -> CachedResponse? { read(key, named: CacheFileName.of(key), isWhole: true) }

  /// - Parameters:
  ///   - name: The name of the key's file.
  ///   - isWhole: True if a large body is read as well.
  func read(_ key: CacheKey, named name: String, isWhole: Bool) -> CachedResponse? {
    examine(name) { file in
      guard file.key == key else { throw CacheFileFault.damaged }
      let (response, stamp, now) = (
        try file.response(isWhole: isWhole), try file.file.status().modified, date()
      )
      if usage.withLock({ $0.used(name, stamp: stamp, at: now) }) { file.file.stamp(now) }
      return response
    }
  }

  func write(_ response: CachedResponse, under key: CacheKey) throws {
    if try renew(response, under: key) { return }
    let part = try begin(response, under: key, isStreamed: false)
    do {
      guard part.start + response.body.count <= Int64(largest) else {
        FileDescriptor.remove(part.file.path)
        return try remove(part.name)
      }
      var (end, checksum) = (part.start, Checksum())
      try response.body.forEachPiece { piece in
        try part.file.write(piece, at: end)
        checksum.update(piece)
        end += Int64(piece.count)
      }
      try commit(part, bodyLength: end - part.start, checksum)
    } catch {
      FileDescriptor.remove(part.file.path)
      throw error
    }
  }

  /// Adds a newer head to the file that has the body of the response already.
  /// - Returns: False if the file must be written again.
  private func renew(_ response: CachedResponse, under key: CacheKey) throws -> Bool {
    guard let file = response.body.placeInFile?.file else { return false }
    let name = CacheFileName.of(key)
    // The lock keeps other processes from adding theirs at the same place.
    guard let writing = try? FileDescriptor(writing: self.file(name), mayCreate: false),
      try writing.status().isSameFile(as: file.status()), try writing.lockIfFree(),
      let current = try? CacheFile(file), current.key == key, current.holds(response.body),
      let bytes = current.renewal(CacheFileHead(response, under: key).bytes()),
      current.length + Int64(bytes.count) <= Int64(largest)
    else { return false }
    try writing.write(bytes, at: current.length)
    let now = date()
    writing.stamp(usage.withLock { $0.stamp(for: name, at: now) })
    noteWrite(of: name, size: bytes.count, at: now)
    return true
  }

  /// A response whose body is being written to a part file.
  struct Part: Sendable {
    let name: String
    let head: Data
    let file: FileDescriptor
    /// The position of the body.
    var start: Int64 { Int64(CacheFilePrefix.length + head.count) }
  }

  /// The maximum size of one response, in bytes.
  var largest: Int { usage.withLock { $0.largest } }

  /// Begins to write a response.
  /// - Parameter isStreamed: True if the length of the body is not known yet.
  func begin(_ response: CachedResponse, under key: CacheKey, isStreamed: Bool) throws -> Part {
    let name = CacheFileName.of(key)
    // A large body begins where a block does, so that a download can share its blocks.
    let isSmall = !isStreamed && response.body.count < 16 * FileDescriptor.cloneAlignment
    let head = CacheFileHead(response, under: key)
      .bytes(after: CacheFilePrefix.length, alignment: isSmall ? 1 : Int(FileDescriptor.cloneAlignment))
    return Part(name: name, head: head, file: try beginPart(of: name))
  }

  /// Puts a response into place whose body is in its part file.
  func commit(_ part: Part, bodyLength: Int64, _ checksum: Checksum) throws {
    let now = date()
    try finish(part.file, isFlushed: false) { [self] file in
      if isForeign(part.name) {
        throw FileError(.write, self.file(part.name), "it is not a cached response: remove it")
      }
      try file.write(
        CacheFilePrefix(head: part.head, bodyLength: bodyLength, body: checksum).bytes + part.head, at: 0)
      file.stamp(usage.withLock { $0.stamp(for: part.name, at: now) })
    } move: { path throws(FileError) in
      try FileDescriptor.move(path, to: file(part.name))
    }
    noteWrite(of: part.name, size: Int(part.start + bodyLength), at: now)
  }

  private func noteWrite(of name: String, size: Int, at now: Date) {
    let step = usage.withLock { $0.wrote(name, size: size, at: now) }
    if step.scans { scans.async { self.makeRoom() } }
    if step.waits { endScan() }
  }

  /// Waits for the end of the scan that is under way.
  func endScan() { scans.sync {} }

  func remove(_ key: CacheKey) throws { try remove(CacheFileName.of(key)) }

  /// Returns all entries, with their responses without bodies. They do not count as used.
  func list() throws -> [ListedResponse] {
    try names().filter(CacheFileName.isResponse).compactMap { name in
      examine(name, isListed: true) { file in
        guard CacheFileName.of(file.key) == name, let url = URL(string: file.head.url) else {
          throw CacheFileFault.damaged
        }
        return ListedResponse(
          entry: CacheEntry(
            key: file.key, status: HTTPStatus(file.head.status), url: url,
            date: Date(timeIntervalSinceReferenceDate: file.head.date), size: Int(file.length)),
          response: try file.head.response(with: CachedBody(Data())), bodyLength: file.bodyLength)
      }
    }
  }

  /// Removes all responses. Tries to remove every file before it throws.
  func clear() throws {
    let names = try names()
    sweep(names)
    var failure: (any Error)?
    for name in names where CacheFileName.isResponse(name) {
      do { try remove(name) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Opens a cached response's file. Removes and reports a damaged one, and reports a file with other
  /// content.
  /// - Parameter isListed: True if the body is not read, so that its size does not matter.
  private func examine<Result>(
    _ name: String, isListed: Bool = false, _ body: (CacheFile) throws -> Result
  ) -> Result? {
    let path = file(name)
    var open: FileDescriptor?
    do {
      let file = try FileDescriptor(reading: path)
      open = file
      // A sparse file has the length that it claims, and would be read into memory before any checksum is verified.
      // It may be the response of a store with a larger limit.
      guard try isListed || file.length() <= Int64(largest) else { return nil }
      return try body(CacheFile(file))
    } catch let fault as CacheFileFault {
      if fault != .foreign { drop(name, open) }
      report(CacheFileProblem(path: path, fault))
    } catch let error as FileError {
      if error.isMissing { return nil }
      report(CacheFileProblem(path: path, reason: .unreadable(error)))
    } catch {
      report(CacheFileProblem(path: path, reason: .unreadable(FileError(.read, path, "\(error)"))))
    }
    return nil
  }

  /// Removes a file that cannot be used, unless a newer file has taken its name meanwhile.
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
      report(CacheFileProblem(path: file(name), reason: .unremovable(error)))
    }
  }

  /// Returns true if a file of that name exists that Errand did not write, judging by its content.
  private func isForeign(_ name: String) -> Bool {
    guard let status = FileDescriptor.status(of: file(name)) else { return false }
    guard status.isRegular else { return true }
    guard let file = try? FileDescriptor(reading: file(name)),
      let bytes = try? file.read(CacheFilePrefix.length, at: 0)
    else { return false }
    return !CacheFilePrefix.isOwn(bytes)
  }

  /// Removes a cached response. A file with other content stays and is reported.
  private func remove(_ name: String) throws(FileError) {
    if isForeign(name) { return report(CacheFileProblem(path: file(name), reason: .foreign)) }
    usage.withLock { $0.removed(name) }
    guard unsafe unlink(file(name)) != 0 else { return }
    let error = FileError(.write, file(name))
    if !error.isMissing { throw error }
  }

  /// Returns the names of the folder's files; none if the folder does not exist.
  private func names() throws(FileError) -> [String] {
    if FileDescriptor.status(of: path).map({ !$0.isFolder }) ?? false {
      throw FileError(.read, path, "it is not a folder")
    }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      // The error decides this, because another process may make the folder at this moment.
      if (error as? CocoaError)?.code == .fileReadNoSuchFile { return [] }
      throw FileError(.read, path, "\(error)")
    }
  }

  private func makeRoom() {
    do {
      let names = try names()
      sweep(names)
      let files = names.compactMap { name -> DiskUsageState.File? in
        guard CacheFileName.isResponse(name), let status = FileDescriptor.status(of: file(name)),
          status.isRegular
        else { return nil }
        return DiskUsageState.File(name: name, size: status.size, used: status.modified)
      }
      let now = date()
      for name in usage.withLock({ $0.victims(among: files, at: now) }) { discard(name) }
    } catch {
      report(CacheFileProblem(path: path, reason: .unreadable(error)))
      usage.withLock { $0.scanFailed() }
    }
  }

  /// Removes the part files of dead writers, and the responses of an earlier version.
  private func sweep(_ names: [String]) {
    for name in names where CacheFileName.isOutdated(name) { discard(name) }
    for name in names where CacheFileName.isPart(name) {
      guard let part = try? FileDescriptor(reading: file(name)), part.claim() else { continue }
      FileDescriptor.remove(part.path)
    }
  }
}

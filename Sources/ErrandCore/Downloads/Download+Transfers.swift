import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The writers of the part file, and its clean-up after a failed call.
extension Download {
  /// Handles a failed call: keeps the bytes that a later call can resume, and removes all others.
  func abandon() {
    let isBusy = state.withLock { state in
      state.isClosed = true
      return state.transfers > 0
    }
    if !isBusy { clearUp() }
  }

  /// Begins a write to the part file. Until it ends, no other may begin, because an interceptor may have left
  /// a transfer under way. It begins before the part file is opened, because its end releases the file.
  func beginTransfer() throws {
    let (isClosed, isBusy) = state.withLock { state in
      let isBusy = state.transfers > 0
      if !state.isClosed, !isBusy { state.transfers += 1 }
      return (state.isClosed, isBusy)
    }
    if isClosed { throw CancellationError() }
    if isBusy {
      throw RequestError(
        .unsupported, message: "a download has one transfer at a time: wait for the first",
        reachedServer: false)
    }
  }

  func endTransfer() {
    let isLast = state.withLock { state in
      state.transfers -= 1
      return state.isClosed && state.transfers == 0
    }
    if isLast { clearUp() }
  }

  private func clearUp() {
    defer { letGoOfPart() }
    let (file, isWorthKeeping) = state.withLock { state in
      defer { state.file = nil }
      return (state.file, state.content != nil && state.length > 0)
    }
    // A part file that this download has not opened belongs to another download.
    guard let file else { return }
    if !(resumes && isWorthKeeping) { partFile.remove() }
    file.unlock()
    // Closed on a queue, because closing frees the bytes of a file without a name: 100 ms for 500 MB.
    Draft.moving.async { withExtendedLifetime(file) {} }
  }
}

/// The end of a download: the file is complete, and moves into place.
extension Download {
  /// Accepts the response that an interceptor returned: its own, or the response whose body is in the file.
  func take(_ body: ResponseBody) async throws {
    switch body {
    case .data(let data): try await fill(CachedBody(data))
    case .stored(let body): try await fill(body)
    // `commit` refuses a file that is not complete.
    case .file(let file)
    where file == part || ASCII.areSame(file.path, path) && !state.withLock({ $0.isWhole }): break
    case .file, .chunks:
      throw RequestError(
        .unsupported,
        message: "an interceptor returned a response whose body is not the one in this download's file",
        reachedServer: true)
    }
  }

  /// Writes a body that did not come through a transfer: that of an interceptor's response.
  private func fill(_ body: CachedBody) async throws {
    try beginTransfer()
    defer { endTransfer() }
    let file = try Self.wrap { () throws(FileError) -> FileDescriptor? in
      try openOnce()
      // The memo describes a server's file, of which no bytes remain.
      partFile.removeMemo()
      forgetPart()
      let file = state.withLock { $0.file }
      try file?.truncate(to: 0)
      return file
    }
    guard let file else { return }
    let cloned = body.count <= limit ?? .max ? await Self.clone(body, to: file) : 0
    let sink = sink(file, from: cloned, nil)
    state.withLock { state in
      state.total = nil
      state.isWhole = false
    }
    state.withLock { $0.sink = sink }
    try await pass(cloned == 0 ? body : body.part(cloned..<body.count), to: sink)
    try await settle()
    state.withLock { $0.isWhole = true }
  }

  /// Clones a body that is in a file, if the file system can.
  /// - Returns: The number of bytes that need not be written.
  private static func clone(_ body: CachedBody, to file: FileDescriptor) async -> Int64 {
    guard let place = body.placeInFile else { return 0 }
    return await withCheckedContinuation { continuation in
      Draft.moving.async {
        continuation.resume(returning: file.clone(from: place.file, at: place.start, count: body.count))
      }
    }
  }

  /// Writes a body to a sink. It does not run on the caller's thread, because it may read a large file.
  private func pass(_ body: CachedBody, to sink: FileSink) async throws {
    if let data = body.inMemory {
      _ = try sink.write(data)
      return
    }
    let room = DispatchSemaphore(value: 0)
    sink.onDrain { room.signal() }
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue(label: "errand.cache.copy").async {
        continuation.resume(
          with: Result {
            try body.forEachPiece { piece in
              if try sink.write(piece) == .wait { room.wait() }
            }
          })
      }
    }
  }

  /// Moves the complete file into place. It does not run on the caller's thread, because freeing a large old
  /// file takes a while.
  func commit() async throws {
    try beginCommit()
    if let output { return try await write(to: output) }
    let result: Result<Void, FileError> = await withCheckedContinuation { continuation in
      Draft.moving.async { continuation.resume(returning: self.moveIntoPlace()) }
    }
    if case .failure(let error) = result { throw Self.unwritable(error) }
    letGoOfPart()
  }

  /// Writes the complete file to a target that cannot be replaced.
  private func write(to output: SpecialOutput) async throws {
    guard let file = state.withLock({ $0.file }) else { throw CancellationError() }
    do {
      try await output.copy(file)
    } catch let error as FileError {
      throw Self.unwritable(error)
    } catch is CancellationError {
      throw CancellationToken.Cause.cancelled(.taskCancelled).error(reachedServer: true)
    }
    abandon()
  }

  private func moveIntoPlace() -> Result<Void, FileError> {
    guard let file = state.withLock({ $0.file }) else {
      return .failure(FileError(.write, path, "the download has ended"))
    }
    let result = Result { () throws(FileError) in try partFile.commit(file) }
    // Closed here as well, because some file systems write the whole file when it is closed.
    if case .success = result { state.withLock { $0.file = nil } }
    return result
  }

  /// Ends all writing to the file, because it is about to become the target.
  private func beginCommit() throws(RequestError) {
    let (hasFile, isWhole, isBusy) = state.withLock { state in
      state.isClosed = true
      state.isCommitting = true
      return (state.file != nil, state.isWhole, state.transfers > 0)
    }
    if isBusy {
      throw RequestError(
        .unsupported, message: "another transfer of this download still writes to the file",
        reachedServer: true)
    }
    guard hasFile, isWhole else {
      throw RequestError(.connectionLost, message: "the downloaded file is not complete", reachedServer: true)
    }
  }
}

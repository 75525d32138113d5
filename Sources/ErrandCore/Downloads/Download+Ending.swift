import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a download ends: the file is whole, and goes to its place.
extension Download {
  /// Takes the response that an interceptor brought: its own, or the one that is in the file.
  func take(_ body: ResponseBody) async throws {
    switch body {
    case .data(let data): try await fill(data)
    // What is not whole is refused when it is put in its place.
    case .file(let file) where file == part || file.path == path && !state.withLock({ $0.isWhole }): break
    case .file, .chunks:
      throw RequestError(
        .unsupported,
        message: "an interceptor returned a response whose body is not the one in this download's file",
        reachedServer: true)
    }
  }

  /// Takes a body that came by another way: an interceptor's own answer.
  private func fill(_ data: Data) async throws {
    try beginTransfer()
    defer { endTransfer() }
    let file = try Self.wrap { () throws(FileError) -> FileDescriptor? in
      try openOnce()
      // The memo is about a server's file, of which nothing is left.
      partFile.removeMemo()
      forgetPart()
      let file = state.withLock { $0.file }
      try file?.truncate(to: 0)
      return file
    }
    guard let file else { return }
    let sink = FileSink(file: file, offset: 0)
    state.withLock { state in
      (state.end, state.total) = (nil, nil)
      state.isWhole = false
    }
    _ = try sink.write(data)
    state.withLock { $0.sink = sink }
    try await settle()
    state.withLock { $0.isWhole = true }
  }

  /// Serial, for only such a queue has a thread of its own on Linux; those of others are every task's.
  static let moving = DispatchQueue(label: "errand.downloads")

  /// Moves the whole file into its place. Not on the caller's thread: letting go of a large old file takes a while.
  func commit() async throws {
    let file = try beginCommit()
    let result: Result<Void, FileError> = await withCheckedContinuation { continuation in
      Self.moving.async {
        continuation.resume(
          returning: Result { () throws(FileError) in try self.partFile.commit(file) })
      }
    }
    if case .failure(let error) = result { throw Self.unwritable(error) }
    letGoOfPart()
  }

  /// From here on nobody writes to the file: it is the target from one moment to the next.
  private func beginCommit() throws(RequestError) -> FileDescriptor {
    let (file, isWhole, isBusy) = state.withLock { state in
      state.isClosed = true
      state.isCommitting = true
      return (state.file, state.isWhole, state.transfers > 0)
    }
    if isBusy {
      throw RequestError(
        .unsupported, message: "another transfer of this download still writes to the file",
        reachedServer: true)
    }
    guard let file, isWhole else {
      throw RequestError(.connectionLost, message: "the file is not whole", reachedServer: true)
    }
    return file
  }
}

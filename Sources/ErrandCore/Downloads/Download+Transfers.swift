/// Who writes to the part, and what becomes of it when its call has failed.
extension Download {
  /// The call failed: keeps what a later call can go on with, and nothing else.
  func abandon() {
    let isBusy = state.withLock { state in
      state.isClosed = true
      return state.transfers > 0
    }
    if !isBusy { clearUp() }
  }

  /// Begins to write to the part. Until it has ended nobody else gets that: an interceptor may have a transfer under way
  /// for which nobody waits any more. It begins before the part is opened, or nobody would let go of that.
  func beginTransfer() throws {
    let (isClosed, isBusy) = state.withLock { state in
      let isBusy = state.transfers > 0
      if !state.isClosed, !isBusy { state.transfers += 1 }
      return (state.isClosed, isBusy)
    }
    if isClosed { throw CancellationError() }
    if isBusy {
      throw RequestError(
        .unsupported, message: "a download has one transfer at a time", reachedServer: false)
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
      (state.file, state.content != nil && state.length > 0)
    }
    // What was never opened is another's.
    guard let file else { return }
    if !(resumes && isWorthKeeping) { partFile.remove() }
    file.unlock()
  }
}

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
  /// for which nobody waits any more.
  func beginTransfer() throws {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.transfers += 1 }
      return state.isClosed
    }
    if isClosed { throw CancellationError() }
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

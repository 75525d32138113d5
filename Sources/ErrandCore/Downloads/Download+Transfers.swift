/// The writers of the part file, and its clean-up after a failed call.
extension Download {
  /// Handles a failed call: keeps what a later call can resume, and removes everything else.
  func abandon() {
    let isBusy = state.withLock { state in
      state.isClosed = true
      return state.transfers > 0
    }
    if !isBusy { clearUp() }
  }

  /// Begins a write to the part file. Until it ends no other may begin: an interceptor may have left a
  /// transfer under way. It begins before the part file is opened, because its end releases the file.
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
    // A part file that this download has not opened belongs to another.
    guard let file else { return }
    if !(resumes && isWorthKeeping) { partFile.remove() }
    file.unlock()
  }
}

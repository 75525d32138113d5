import ErrandCore

/// Where the work on an outbox's files is done. A simulation puts its own thread in the place of the queue.
package enum FileWork: Sendable {
  case on(FileQueues)
  /// On the caller's thread, at once; not at all if `check` throws.
  case inCaller(check: @Sendable () throws -> Void)

  package static let queued = FileWork.on(FileQueues("errand.outbox.files"))

  func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    switch self {
    case .on(let queues):
      let piece = Piece(body)
      await withCheckedContinuation { continuation in
        queues.async {
          piece.run()
          continuation.resume()
        }
      }
      return try piece.take()
    case .inCaller(let check):
      try check()
      return try body()
    }
  }
}

/// The queue's thread keeps nothing of it once it has run: files that are open in it are held as long as the caller wants.
private final class Piece<Value: Sendable>: Sendable {
  private enum State {
    case toDo(@Sendable () throws -> Value)
    case done(Result<Value, any Error>)
    case taken
  }

  private let state: Locked<State>

  init(_ body: @escaping @Sendable () throws -> Value) { state = Locked(.toDo(body)) }

  func run() {
    guard case .toDo(let body) = next() else { return }
    let result = Result(catching: body)
    state.withLock { $0 = .done(result) }
  }

  func take() throws -> Value {
    guard case .done(let result) = next() else { preconditionFailure("asked before it has run") }
    return try result.get()
  }

  private func next() -> State {
    state.withLock { state in
      defer { state = .taken }
      return state
    }
  }
}

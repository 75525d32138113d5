import Dispatch
import ErrandCore
import ErrandUploads

/// The place where the outbox's file work runs. A simulation uses the caller's thread instead of queues.
package enum FileWork: Sendable {
  case on(FileQueues)
  /// Runs the work on the caller's thread, at once. If `check` throws, the work is not run.
  case inCaller(check: @Sendable () throws -> Void)

  package static let queued = FileWork.on(FileQueues("errand.outbox.files"))

  /// The place where the content of uploads is read.
  var ofUploads: UploadWork {
    if case .inCaller = self { .inCaller } else { .queued }
  }

  package func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
  {
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

/// A piece of work whose result is taken once. The queue's thread keeps no reference to the result, so open
/// files in it are closed when the caller releases them.
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
    guard case .done(let result) = next() else {
      preconditionFailure("the result was taken before the work ran")
    }
    return try result.get()
  }

  private func next() -> State {
    state.withLock { state in
      defer { state = .taken }
      return state
    }
  }
}

/// Queues for work that waits for the disk. There are several, so that one large file does not block all
/// others.
///
/// Each queue is serial, because only a serial queue has its own thread. A concurrent queue shares the few
/// threads of all tasks, at least on Linux, so that a slow disk would stop the whole program.
package final class FileQueues: Sendable {
  private let queues: [DispatchQueue]
  /// The number of pieces of work on each queue.
  private let loads: Locked<[Int]>

  init(_ label: String, count: Int = 4) {
    queues = (0..<count).map { DispatchQueue(label: "\(label).\($0)") }
    loads = Locked(Array(repeating: 0, count: count))
  }

  func async(_ work: @escaping @Sendable () -> Void) {
    let index = loads.withLock { loads in
      let index = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      loads[index] += 1
      return index
    }
    queues[index].async {
      work()
      self.loads.withLock { $0[index] -= 1 }
    }
  }
}

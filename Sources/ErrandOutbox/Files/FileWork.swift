package import Dispatch

/// Where the work on an outbox's files is done. A simulation puts its own thread in the place of the queue.
package enum FileWork: Sendable {
  case on(DispatchQueue)
  /// On the caller's thread, at once; not at all if `check` throws.
  case inCaller(check: @Sendable () throws -> Void)

  /// On a queue, several pieces at a time: one large file does not keep all others waiting.
  package static let queued = FileWork.on(
    DispatchQueue(label: "errand.outbox.files", attributes: .concurrent))

  func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    switch self {
    case .on(let queue):
      return try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result(catching: body)) }
      }
    case .inCaller(let check):
      try check()
      return try body()
    }
  }
}

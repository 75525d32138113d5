import ErrandCore

/// Blocking work of a credential store.
enum CredentialWork {
  /// Starts work on a dedicated thread.
  /// - Parameter place: The location of the credential, for the error.
  static func start<Value: Sendable>(
    _ place: String, _ work: @escaping @Sendable () throws -> Value
  ) throws(FileError) -> Promise<Value> {
    let promise = Promise<Value>()
    guard SystemThread.start({ promise.settle(Result { try work() }) }) else {
      throw FileError(.open, place, "the system cannot start a thread for it")
    }
    return promise
  }

  /// The longest wait for another process's lock. The process holds it during one refresh at most.
  private static let patience = Duration.seconds(40)

  /// Locks the file of a store that processes share. The wait ends when the task is cancelled.
  static func lock(_ file: ReplacedFile) async throws -> FileDescriptor {
    try await CancellationToken.ofTask { token in
      try await start(file.path) { try file.lock(within: patience) { token.isOver } }.value(unless: token)
    }
  }
}

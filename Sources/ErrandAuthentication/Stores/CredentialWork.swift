import ErrandCore

/// Work of a credential store that blocks.
enum CredentialWork {
  /// Starts work on a thread of its own.
  /// - Parameter place: Where the credential is, for the error.
  static func start<Value: Sendable>(
    _ place: String, _ work: @escaping @Sendable () throws -> Value
  ) throws(FileError) -> Promise<Value> {
    let promise = Promise<Value>()
    guard SystemThread.start({ promise.settle(Result { try work() }) }) else {
      throw FileError(.open, place, "the system has no thread for it")
    }
    return promise
  }

  /// How long a store waits for another process, which holds the lock during a refresh of its own at most.
  private static let patience = Duration.seconds(40)

  /// Locks the file of a store that processes share. The wait ends with the task.
  static func lock(_ file: ReplacedFile) async throws -> FileDescriptor {
    try await CancellationToken.ofTask { token in
      try await start(file.path) { try file.lock(within: patience) { token.isOver } }.value(unless: token)
    }
  }
}

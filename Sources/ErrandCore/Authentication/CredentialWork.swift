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
}

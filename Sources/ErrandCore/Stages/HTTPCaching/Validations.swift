/// The validations that are under way, so that requests for the same one wait for it.
final class Validations: Sendable {
  private let running = Locked<[CacheKey: Validation]>([:])

  /// Begins a validation, unless one is under way.
  /// - Returns: The validation, and whether the caller has begun it. Then the caller must end it.
  func begin(_ key: CacheKey) -> (validation: Validation, isOwn: Bool) {
    running.withLock { running in
      if let validation = running[key] { return (validation, false) }
      let validation = Validation()
      running[key] = validation
      return (validation, true)
    }
  }

  func end(_ key: CacheKey) { running.withLock { $0.removeValue(forKey: key) }?.end() }
}

/// A request that asks whether a stored response is still valid, for all requests that wait for it.
final class Validation: Sendable {
  enum Ending: Sendable {
    /// The stored response has been renewed or replaced.
    case renewed
    /// The server failed, or could not be reached.
    case failed(isDisconnected: Bool)
    /// The request that asked the server was cancelled.
    case cancelled
    /// The server's response is only for the request that asked.
    case other
  }

  private let ending = Locked(Ending.other)
  private let promise = Promise<Ending>()

  /// Notes how the validation ends, before it does.
  func note(_ ending: Ending) { self.ending.withLock { $0 = ending } }

  fileprivate func end() { promise.settle(.success(ending.withLock(\.self))) }

  /// Waits for the end.
  /// - Throws: The failure of the waiting call, if it is cancelled.
  func ended(unless cancellation: CancellationToken) async throws -> Ending {
    try await promise.value(unless: cancellation)
  }
}

/// The validations that a call has waited for. Pure.
struct ValidationWait: Sendable {
  /// Why the server had to be asked when the call began to wait; nil if it has not waited.
  private(set) var status: CacheStatus?
  private(set) var ending: Validation.Ending?
  private var number: Int?
  private var count = 0

  /// Notes that a validation has ended.
  /// - Parameters:
  ///   - number: The number of the stored response.
  ///   - status: Why the server had to be asked.
  mutating func waited(for number: Int, _ status: CacheStatus, _ ending: Validation.Ending) {
    count = number == self.number ? count + 1 : 1
    self.number = number
    self.status = self.status ?? status
    self.ending = ending
  }

  /// Returns true if the stored response was validated after the call had begun. That is enough for `no-cache`. The
  /// first validation that a call waits for may have begun before the call.
  func hasValidated(_ number: Int) -> Bool {
    if case .renewed? = ending { count > 1 && number == self.number } else { false }
  }

  /// True if waiting for another validation may help. If the server failed, or its response was not for all, each
  /// call asks for itself.
  var mayGoOn: Bool {
    switch ending {
    case nil, .renewed, .cancelled: true
    case .failed, .other: false
    }
  }
}

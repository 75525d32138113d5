/// The validations that are under way, so that requests for the same one wait for it.
final class Validations: Sendable {
  /// The requests that may wait for one another. They ask for the same stored response, and are equally patient and
  /// urgent, so that none suffers from the options of the one that asks the server.
  struct Group: Sendable, Hashable {
    let key: CacheKey
    private let timeout: Duration?
    private let connectTimeout: Duration?
    private let retry: RetryPolicy?
    private let priority: Priority
    /// True for a renewal in the background, for which no request waits.
    private let isRenewal: Bool

    init(_ key: CacheKey, _ options: RequestOptions, _ priority: Priority, isRenewal: Bool = false) {
      self.key = key
      timeout = options.timeout
      connectTimeout = options.connectTimeout
      retry = options.retry
      self.priority = priority
      self.isRenewal = isRenewal
    }
  }

  /// True while the current task asks the server for other requests, too. The requests that it sends meanwhile, such as
  /// those of an interceptor, do not wait: they could wait for their own call.
  @TaskLocal static var isLeading = false

  private let running = Locked<[Group: Validation]>([:])

  /// Begins a validation, unless one is under way.
  /// - Returns: The validation, and whether the caller has begun it. Then the caller must end it.
  func begin(_ group: Group) -> (validation: Validation, isOwn: Bool) {
    running.withLock { running in
      if let validation = running[group] { return (validation, false) }
      let validation = Validation(group.key)
      running[group] = validation
      return (validation, true)
    }
  }

  func end(_ group: Group) { running.withLock { $0.removeValue(forKey: group) }?.end() }
}

/// A request that asks whether a stored response is still valid, for all requests that wait for it.
final class Validation: Sendable {
  enum Ending: Sendable {
    /// The stored response has been renewed, or replaced by the server's.
    case renewed
    /// The server failed, or could not be reached.
    case failed(isDisconnected: Bool)
    /// The request that asked the server was cancelled.
    case cancelled
    /// The server's response is only for the request that asked, or for another URL or other requests.
    case other
  }

  private let key: CacheKey
  private let ending = Locked(Ending.other)
  private let promise = Promise<Ending>()

  fileprivate init(_ key: CacheKey) { self.key = key }

  /// Notes how the validation ends, before it does.
  func note(_ ending: Ending) { self.ending.withLock { $0 = ending } }

  /// Notes that a response was stored. It says nothing about the stored response of another key.
  func stored(under key: CacheKey) { if key == self.key { note(.renewed) } }

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

/// What the stages do with the store of kept answers. It may be anybody's, so nothing waits for it without an end.
extension Pipeline {
  /// A request passes by a store that is silent for longer.
  static var storePatience: Duration { .seconds(5) }

  /// What is kept for this request. A store that fails is as good as an empty one, and so is an answer that the request
  /// would refuse: it may have been kept by another, or by an older version of the program.
  func keptAnswer(
    to request: Request, _ rule: KeepRule, of user: String?, unless signal: StopSignal
  ) async -> KeptAnswer? {
    do {
      let found = try await asked(unless: signal) { store in
        try await store.read(try await self.answerKey(request, rule, user))
      }
      return found.flatMap { answer in
        answer.fields.forbidStoring || request.options.validator.rejection(of: answer.response) != nil
          ? nil : answer
      }
    } catch {
      report(error, unless: signal)
      return nil
    }
  }

  func removeKeptAnswer(
    to request: Request, _ rule: KeepRule, of user: String?, unless signal: StopSignal
  ) async throws {
    try await asked(unless: signal) { store in
      try await store.remove(try await self.answerKey(request, rule, user))
    }
  }

  /// Keeps a response, or renews with a 304 what is kept.
  func keep(
    _ response: Response, to request: Request, _ rule: KeepRule, of user: String?, unless signal: StopSignal
  ) async {
    // Neither side wants it to be kept: one that asked so leaves alone what others have kept, one that answered so ends it.
    if request.fields.forbidStoring { return }
    let (date, secrets) = (configuration.date(), configuration.secrets)
    do {
      if let answer = KeptAnswer(response, date: date, secrets: secrets) {
        try await asked(unless: signal) { store in
          try await store.write(answer, under: try await self.answerKey(request, rule, user))
        }
      } else if response.fields.forbidStoring {
        try await removeKeptAnswer(to: request, rule, of: user, unless: signal)
      } else if response.status == 304 {
        try await asked(unless: signal) { store in
          let key = try await self.answerKey(request, rule, user)
          let renewed = try await store.read(key)?.renewed(
            by: response.fields, to: request.fields, date: date, secrets: secrets)
          if let renewed { try await store.write(renewed, under: key) }
        }
      }
    } catch {
      report(error, unless: signal)
    }
  }

  /// Asks the store, but waits no longer than its patience, nor for a call that is called off.
  private func asked<Value: Sendable>(
    unless signal: StopSignal, _ work: @escaping @Sendable (any AnswerStore) async throws -> Value
  ) async throws -> Value {
    let store = configuration.answers
    // It waits for nothing but its lock.
    if store is MemoryAnswerStore { return try await work(store) }
    let wait = StopSignal()
    let link = signal.onStop(stopping: wait)
    let timer = Task { [timeline] in
      try await timeline.sleep(Self.storePatience)
      wait.stop(.deadlineExceeded(Self.storePatience))
    }
    defer {
      timer.cancel()
      signal.removeStopHandler(link)
    }
    do {
      return try await wait.interrupting { try await work(store) }
    } catch {
      guard case .deadlineExceeded = wait.stopped, signal.stopped == nil else { throw error }
      throw RequestError(
        .timedOut,
        message: "the store of kept answers was silent for \(Self.storePatience.formattedSeconds)",
        reachedServer: false)
    }
  }

  /// A call that was called off says nothing about the store.
  private func report(_ error: any Error, unless signal: StopSignal) {
    if signal.stopped == nil { configuration.onAnswerStoreFailure?(error) }
  }

  private func answerKey(_ request: Request, _ rule: KeepRule, _ user: String?) async throws -> AnswerKey {
    try await configuration.answers.key(
      rule.name, method: request.method, fields: request.fields, url: request.url, user: user,
      secrets: configuration.secrets)
  }
}

extension ResponseValidator {
  /// What is wrong with an answer that was not asked for by this request itself, or nil.
  func rejection(of response: Response) -> RequestError.Rejection? {
    problem(with: ResponseHead(status: response.status, fields: response.fields))
      ?? problem(with: response, bodyLength: Int64(response.data.count))
  }
}

extension Result<Response, any Error> {
  /// False if its response must not be stored, be it only for a window.
  var mayBeReplayed: Bool {
    switch self {
    case .success(let response): !response.fields.forbidStoring
    case .failure(let error): (error as? RequestError)?.fields?.forbidStoring != true
    }
  }
}

/// The stages that few requests use.
extension Pipeline {
  /// Waits for the calls that must have succeeded, and lets them hurry as this one would.
  func afterOthers(
    _ request: Request, _ run: Run, _ next: (Request) async throws -> Response
  ) async throws -> Response {
    let calls = request.options.dependencies
    if !calls.isEmpty {
      let rises = run.urgency.onRaise { [urgency = run.urgency] _ in
        for call in calls { call.rise(with: urgency) }
      }
      defer { run.urgency.removeRaiseHandler(rises) }
      for call in calls { call.rise(with: run.urgency) }
      try await Dependencies(calls).wait(unless: run.signal)
    }
    return try await next(request)
  }

  /// Ignores a repeat, or lets it share what is under way. (That the newest wins is settled when a call is made.)
  func unlessRepeated(
    _ request: Request, _ run: Run, _ next: @escaping @Sendable (Request, Run) async throws -> Response
  ) async throws -> Response {
    guard let rule = request.options.repeats else { return try await next(request, run) }
    switch rule.kind {
    case .latest: return try await next(request, run)
    case .ignoring(let interval, let untilFailed):
      // One that is called off already is not sent, so nothing repeats it.
      try run.signal.check()
      let key = try key(request, rule)
      let began = try repeats.admit(key, within: interval)
      do {
        return try await next(request, run)
      } catch {
        let hasLeft = run.sent > 0 && (error as? RequestError)?.reachedServer != false
        if untilFailed || !hasLeft { repeats.close(key, began: began) }
        throw error
      }
    case .sharing(var policy):
      try requireMemory(run, "shared")
      if request.fields.forbidStoring { policy.window = .zero }
      let response: Response
      do {
        response = try await repeats.share(
          try key(request, rule), policy, urgency: run.urgency, of: run.signal, progress: run.progress
        ) { flight in
          try await self.fly(flight, request, next)
        }
      } catch is Flight.WaitsForItself {
        return try await next(request, run)
      }
      // Whoever came first is checked twice, which changes nothing.
      if let rejection = request.options.validator.rejection(of: response) {
        throw rejection.error(of: response)
      }
      return response
    }
  }

  /// Sends what several callers share.
  private func fly(
    _ flight: Flight, _ request: Request, _ next: (Request, Run) async throws -> Response
  ) async throws -> Response {
    let watch = isIntercepted ? HoldWatch(of: flight, timeline) : nil
    let run = Run(flight, self, watch)
    // An interceptor may send what it was given from a task that does not know whose it is.
    var request = request
    request.options.repeats = nil
    try run.enter(inFlight, asPart: true)
    defer { run.end() }
    guard let watch else { return try await next(request, run) }
    defer { watch.end() }
    do {
      return try await next(request, run)
    } catch {
      throw watch.failure ?? error
    }
  }

  /// Falls back on what is kept when the server is out of reach, or the deadline passes, whatever it then waits for.
  func orKept(
    _ request: Request, _ run: Run, _ next: (Run) async throws -> Response
  ) async throws -> Response {
    guard let rule = request.options.keeping, rule.policy == .onFailure else { return try await next(run) }
    try requireMemory(run, "kept")
    let user = configuration.identity?()
    do {
      return try await inTime(run, next)
    } catch {
      var state = KeptState(rule.policy)
      guard state.failed(error) == .read,
        let found = await keptAnswer(to: request, rule, of: user, unless: run.signal),
        state.found(age: found.age(at: configuration.date())) == .deliverKept
      else { throw error }
      return found.response
    }
  }

  /// Answers with what is kept, and keeps what comes, as the request's policy says.
  func kept(
    _ request: Request, _ run: Run, _ next: @escaping @Sendable (Request, Run) async throws -> Response
  ) async throws -> Response {
    guard let rule = request.options.keeping else { return try await next(request, run) }
    try requireMemory(run, "kept")
    // Whoever it is when the answer comes: it is the answer of the one who asked.
    let user = configuration.identity?()
    // What it falls back on is for each call by itself: see `orKept`.
    let state = KeptState(rule.policy == .onFailure ? .networkOnly : rule.policy)
    var step = state.begin()
    var found: KeptAnswer?
    while true {
      switch step {
      case .read:
        found = await keptAnswer(to: request, rule, of: user, unless: run.signal)
        step = state.found(age: found?.age(at: configuration.date()))
      case .ask:
        let response = try await next(request, run)
        await keep(response, to: request, rule, of: user, unless: run.signal)
        return response
      case .deliverKeptAndAsk:
        refresh(request, rule, of: user, beside: run, next)
        step = .deliverKept
      case .deliverKept:
        guard let found else { preconditionFailure("nothing is delivered that was not found") }
        return found.response
      case .fail: preconditionFailure("only what falls back fails here")
      }
    }
  }

  /// Lets a call whose deadline passes go on without the network.
  private func inTime(_ run: Run, _ next: (Run) async throws -> Response) async throws -> Response {
    guard run.deadline != nil else { return try await next(run) }
    let limited = Run(
      signal: StopSignal(), urgency: run.urgency, destination: run.destination, progress: run.progress,
      started: run.started, deadline: run.deadline)
    let link = run.signal.onStop(stopping: limited.signal)
    limited.keepDeadline(on: timeline)
    defer {
      run.signal.removeStopHandler(link)
      limited.end()
    }
    do {
      let response = try await next(limited)
      try limited.signal.finish()
      return response
    } catch {
      throw limited.signal.stopped?.error(tries: (error as? RequestError)?.attempt ?? 0) ?? error
    }
  }

  /// Asks the network for the next time, while the answer of this time is on its way up.
  private func refresh(
    _ request: Request, _ rule: KeepRule, of user: String?, beside run: Run,
    _ next: @escaping @Sendable (Request, Run) async throws -> Response
  ) {
    let refreshing = Run(
      destination: .memory, progress: nil, urgency: Urgency(run.urgency.current, canRise: false),
      started: timeline.now(), deadline: run.deadline)
    if run.urgency.goesWithoutSlot { refreshing.urgency.goWithoutSlot() }
    do {
      try refreshing.enter(inFlight, beside: run)
    } catch {
      return refreshing.end()
    }
    refreshing.keepDeadline(on: timeline)
    Task {
      defer { refreshing.end() }
      guard let response = try? await next(request, refreshing) else { return }
      await keep(response, to: request, rule, of: user, unless: refreshing.signal)
    }
  }

  func key(_ request: Request, _ rule: RepeatRule) throws(RequestError) -> RequestKey {
    try request.key(for: rule, secrets: configuration.secrets, identity: configuration.identity?())
  }

  private func requireMemory(_ run: Run, _ what: String) throws(RequestError) {
    if case .memory = run.destination { return }
    throw RequestError(
      .unsupported, message: "an answer that is \(what) is held in memory: use send or start",
      reachedServer: false)
  }
}

extension RequestError.Rejection {
  fileprivate func error(of response: Response) -> RequestError {
    var error = error(
      response.status, response.fields, bodyPrefix: response.data.prefix(Receiver.prefixLimit))
    error.timing = response.timing
    error.attempt = response.timing.tries
    return error
  }
}

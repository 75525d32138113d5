import ErrandCore

extension CredentialSession {
  /// Returns the credential for a request that is about to be sent. The authenticator and the clock are asked
  /// outside of the lock whether it has expired.
  func issued(_ call: CredentialCall) async throws -> Issued {
    let current = state.withLock { $0.rules.current }
    if let current, !method.isExpired(current.credential, at: call.sender.date()) { return current }
    let now = self.now(on: call.sender.timeline)
    let begun = decide { $0.begin(at: now, expired: current?.generation) }
    return try await issued(begun, nil, call)
  }

  /// A decision of the rules, and the outcome of the renewal under way.
  struct Decision: Sendable {
    let step: Rules.Step
    let waiting: Promise<Issued>
    /// The revision of the credential at the time of the decision.
    let revision: Int
  }

  func decide(_ decide: (inout Rules) -> Rules.Step) -> Decision {
    state.withLock { state in
      let step = decide(&state.rules)
      if case .renew(let renewal) = step {
        state.waiting = Promise()
        state.renewals[renewal.number] = Promise()
      }
      return Decision(step: step, waiting: state.waiting, revision: state.revision)
    }
  }

  /// Returns the credential to use, after a renewal if the rules ask for one.
  /// - Parameter stale: The head of the response that found the last credential stale.
  func issued(
    _ decision: Decision, _ stale: ResponseHead?, _ call: CredentialCall
  ) async throws -> Issued {
    switch decision.step {
    case .use(let issued): return issued
    case .fail(let error): throw error
    case .respond: preconditionFailure("the caller has its response")
    case .wait: break
    case .renew(let renewal): renew(renewal, after: decision.revision, stale, call.sender)
    }
    return try await decision.waiting.value(unless: call.cancellation)
  }

  /// Renews the credential in a detached task, because the requests that wait for it may be cancelled.
  private func renew(
    _ renewal: Rules.Renewal, after revision: Int, _ stale: ResponseHead?, _ sender: CredentialSender
  ) {
    let limit = Self.refreshDeadline
    Task.detached { [self] in
      let cancellation = CancellationToken()
      let timer = Task {
        try await sender.timeline.sleep(limit)
        cancellation.cancel(.deadlineExceeded(limit))
      }
      var outcome: Rules.Outcome
      var stored: StoredMark?
      do {
        let renewed = try await cancellation.interrupting { [self] in
          try await CredentialRenewal.run(self) {
            try await refreshed(renewal.old?.credential, after: revision, CredentialRefresh(stale, sender))
          }
        }
        let credential = renewed.credential
        // Another process may have issued this credential long ago.
        outcome =
          renewed.isFound
          ? .found(credential)
          : .renewed(credential, isExpired: method.isExpired(credential, at: sender.date()))
        stored = renewed.stored
      } catch let error as CredentialRejected {
        outcome = .final(Self.error(.signedOut, "the identity has to sign in again: \(error.reason)", error))
      } catch {
        let problem =
          cancellation.isOver && vault != nil
          ? "the refresh did not end within \(limit.formattedSeconds); its server does not respond, or another process "
            + "hangs and holds the lock of the store" : error.credentialProblem
        outcome = .failed(
          Self.error(.refreshFailed, "the credential could not be refreshed: \(problem)", error))
      }
      timer.cancel()
      end(renewal, outcome, stored, at: now(on: sender.timeline))
    }
  }

  private static func error(_ code: RequestError.Code, _ message: String, _ error: any Error) -> RequestError
  {
    RequestError(code, message: message, reachedServer: false, underlying: error)
  }

  private func refreshed(
    _ old: Scheme.Credential?, after revision: Int, _ refresh: CredentialRefresh
  ) async throws -> RenewedCredential<Scheme.Credential> {
    guard let vault else {
      return RenewedCredential(credential: try await method.refresh(old, refresh))
    }
    return try await vault.renewed(of: state.withLock { $0.owner }, after: revision) {
      try await self.method.refresh($0 ?? old, refresh)
    }
  }

  private func end(
    _ renewal: Rules.Renewal, _ outcome: Rules.Outcome, _ stored: StoredMark?, at now: Duration
  ) {
    let renewed = state.withLock { $0.renewals[renewal.number] }
    defer {
      // Only now, so that a sign-out sees the renewal or its credential.
      state.withLock { _ = $0.renewals.removeValue(forKey: renewal.number) }
      renewed?.settle(outcome.brought)
    }
    let (waiting, result, change) = state.withLock { state in
      guard let result = state.rules.ended(renewal.number, outcome, at: now) else {
        // No request waits for a renewal that a sign-in or a sign-out has overtaken.
        return (state.waiting, Result<Issued, RequestError>?.none, State.Change())
      }
      var change = state.take(stored?.owner, revision: stored?.revision)
      if !change.isSame, !state.rules.isSignedOut { change.listeners = state.listeners.values }
      return (state.waiting, result, change)
    }
    guard let result else { return }
    waiting.settle(result.mapError { $0 })
    tell(change)
  }

  /// Cancels the calls of the previous identity, and notifies the listeners of the new one.
  func tell(_ change: State.Change) {
    CancellationToken.cancel(change.calls, .cancelled(.signedOut))
    for listener in change.listeners { listener() }
  }
}

extension AuthenticationState.Outcome {
  /// The credential that a renewal has brought; nil if it has brought none.
  var brought: Result<Credential?, any Error> {
    switch self {
    case .renewed(let credential, _), .found(let credential): return .success(credential)
    case .final: return .success(nil)
    case .failed(let error):
      // The server may have issued a credential in a response that never came.
      guard let cause = error.underlying as? RequestError, cause.status == nil,
        cause.reachedServer || cause.code == .deadlineExceeded
      else { return .success(nil) }
      return .failure(
        SignInError(
          .notRevoked,
          "a refresh that was under way ended without a response, so tokens that the server issued for it may be valid"
        ))
    }
  }
}

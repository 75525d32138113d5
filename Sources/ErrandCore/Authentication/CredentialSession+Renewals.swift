extension CredentialSession {
  /// Returns the credential for a request that is about to be sent. The authenticator and the clock say whether it is
  /// expired, and neither is asked under the lock.
  func issued(_ context: CallContext, _ sender: CredentialSender) async throws -> Issued {
    let current = state.withLock { $0.rules.current }
    if let current, !method.isExpired(current.credential, at: sender.date()) { return current }
    let now = sender.timeline.now()
    return try await issued(nil, context, sender) { $0.begin(at: now, expired: current?.generation) }
  }

  /// Returns the credential to use, and renews it before if the rules say so.
  func issued(
    _ stale: ResponseHead?, _ context: CallContext, _ sender: CredentialSender,
    _ decide: (inout Rules) -> Rules.Step
  ) async throws -> Issued {
    let (step, waiting) = state.withLock { state in
      let step = decide(&state.rules)
      if case .renew = step { state.waiting = Promise() }
      return (step, state.waiting)
    }
    switch step {
    case .use(let issued): return issued
    case .fail(let error): throw error
    case .wait: break
    case .renew(let renewal): renew(renewal, stale, sender)
    }
    return try await waiting.value(unless: context.cancellation)
  }

  /// Renews the credential in a task of its own: the requests that wait for it may leave.
  private func renew(_ renewal: Rules.Renewal, _ stale: ResponseHead?, _ sender: CredentialSender) {
    let limit = Self.refreshDeadline
    Task.detached { [self] in
      let cancellation = CancellationToken()
      let timer = Task {
        try await sender.timeline.sleep(limit)
        cancellation.cancel(.deadlineExceeded(limit))
      }
      var outcome: Rules.Outcome
      var owner: CredentialIdentity?
      do {
        let renewed = try await cancellation.interrupting { [self] in
          try await CredentialRenewal.run(self) {
            try await refreshed(renewal.old?.credential, CredentialRefresh(stale, sender))
          }
        }
        let credential = renewed.credential
        (outcome, owner) = (renewed.isFound ? .found(credential) : .renewed(credential), renewed.owner)
      } catch let error as CredentialRejected {
        outcome = .final(Self.error(.signedOut, "the identity has to sign in again: \(error.reason)", error))
      } catch {
        let problem =
          cancellation.isOver && vault != nil
          ? "nothing came of it within \(limit.formattedSeconds); its server does not respond, or another process holds "
            + "the lock of the store and hangs" : error.refreshProblem
        outcome = .failed(
          Self.error(.refreshFailed, "the credential could not be refreshed: \(problem)", error))
      }
      timer.cancel()
      end(renewal, outcome, owner, at: sender.timeline.now())
    }
  }

  private static func error(_ code: RequestError.Code, _ message: String, _ error: any Error) -> RequestError
  {
    RequestError(code, message: message, reachedServer: false, underlying: error)
  }

  private func refreshed(
    _ old: Method.Credential?, _ refresh: CredentialRefresh
  ) async throws -> RenewedCredential<Method.Credential> {
    guard let vault else {
      return RenewedCredential(credential: try await method.refresh(old, refresh), owner: nil)
    }
    return try await vault.renewed(of: state.withLock { $0.owner }) {
      try await self.method.refresh($0 ?? old, refresh)
    }
  }

  private func end(
    _ renewal: Rules.Renewal, _ outcome: Rules.Outcome, _ owner: CredentialIdentity?, at now: Duration
  ) {
    let (waiting, result, calls) = state.withLock { state in
      guard let result = state.rules.ended(renewal.number, outcome, at: now) else {
        // No request waits for a renewal that was overtaken by a sign-in or a sign-out.
        return (state.waiting, Result<Issued, RequestError>?.none, [CancellationToken]())
      }
      return (state.waiting, result, state.take(owner) ?? [])
    }
    guard let result else { return }
    waiting.settle(result.mapError { $0 })
    CancellationToken.cancel(calls, .cancelled(.signedOut))
  }
}

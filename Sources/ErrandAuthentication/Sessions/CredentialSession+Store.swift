package import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Notices changes that other processes store: a new credential, another identity, or a sign-out.
extension CredentialSession {
  package func isPrepared(on timeline: Timeline) -> Bool {
    vault.map { !$0.mayHaveNews(at: now(on: timeline)) } ?? true
  }

  package func prepare(on timeline: Timeline, unless cancellation: CancellationToken?) async throws {
    let (looking, isFirst) = state.withLock { state in
      if let looking = state.looking { return (looking, false) }
      let looking = Promise<Void>()
      state.looking = looking
      return (looking, true)
    }
    if isFirst {
      // A separate task, because the calls that wait for it may be cancelled.
      Task { [self] in
        let read: Result<Void, any Error>
        do { read = .success(try await look(at: now(on: timeline))) } catch { read = .failure(error) }
        state.withLock { $0.looking = nil }
        looking.settle(read)
      }
    }
    if let cancellation {
      try await looking.value(unless: cancellation)
    } else {
      try await looking.value()
    }
  }

  /// Reads the store, and takes a credential or a sign-out that is new to this process.
  /// - Parameter now: Nil if the time is not known.
  /// - Throws: The store's error, in which case nothing changes.
  func look(at now: Duration?) async throws {
    guard let vault, let news = try await vault.news(at: now) else { return }
    defer { vault.take(news.mark) }
    let (waiting, result, change) = state.withLock { state in
      let nothing = (state.waiting, Result<Issued, any Error>?.none, State.Change())
      guard !state.isSigningOut, news.mark.revision > state.revision else { return nothing }
      guard let credential = news.credential else {
        state.revision = news.mark.revision
        if state.rules.isSignedOut { return nothing }
        state.rules.signOut(Self.signedOut)
        state.era += 1
        let change = State.Change(isSame: false, calls: state.calls.newestFirst)
        return (state.waiting, .failure(Self.signedOut), change)
      }
      var change = state.take(news.mark.owner, revision: news.mark.revision)
      let issued =
        change.isSame ? state.rules.replace(credential, isFound: true) : state.rules.signIn(credential)
      if !change.isSame { change.listeners = state.listeners.values }
      return (state.waiting, Self.outcome(issued, change), change)
    }
    guard let result else { return }
    waiting.settle(result)
    tell(change)
  }

  package func identityDigest(on timeline: Timeline) async throws -> String? {
    if !isPrepared(on: timeline) { try? await prepare(on: timeline, unless: nil) }
    let (owner, isKnown) = state.withLock { ($0.rules.isSignedOut ? nil : $0.owner, $0.isOwnerKnown) }
    if let vault, owner != nil, !isKnown { return try await vault.owner()?.digest }
    return owner?.digest
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The record of a request that the HTTP cache has forwarded: when it was sent, and which redirects it followed.
final class ForwardRecord: Sendable {
  /// A redirect on the way to the response.
  struct Hop: Sendable {
    let request: Request
    let response: Response
    let sentAt: Date
  }

  private struct State {
    var hops: [Hop] = []
    var request: Request
    var sentAt: Date?
    var isLost = false
    /// The response that is written to the store while it arrives.
    var draft: (any CacheDraft)?
    /// True if a draft was begun, and has not been abandoned.
    var isDrafted = false
    /// The record of the attempt whose response counts; nil if this one counts.
    var counting: ForwardRecord?
  }

  /// True if the request asks whether a stored response is still valid, so that a 304 is a response to the cache.
  let isConditional: Bool
  /// The number of redirects that came from the cache.
  let followed: Int
  private let original: Request
  private let makeDraft: Drafting?
  /// True if a streamed body is stored to its end, even if its reader lets go of the stream.
  let finishesAbandonedStreams: Bool
  private let state: Locked<State>

  /// Begins to store a response whose body is streamed, at its head; nil if it is not stored.
  typealias Drafting = @Sendable (_ head: ResponseHead, _ sentAt: Date) -> (any CacheDraft)?

  /// - Parameters:
  ///   - request: The request as the cache sees it: without what later stages add.
  ///   - draft: Stores a streamed response; nil for other destinations.
  init(
    _ request: Request, isConditional: Bool, followed: Int, draft: Drafting? = nil,
    finishesAbandonedStreams: Bool = false
  ) {
    original = request
    self.isConditional = isConditional
    makeDraft = draft
    self.finishesAbandonedStreams = finishesAbandonedStreams
    self.followed = followed
    state = Locked(State(request: request))
  }

  /// Notes that an attempt begins with the first request.
  func begins() {
    state.withLock { $0 = State(request: original) }
  }

  /// Notes that a request is sent.
  func isSent(at date: Date) { state.withLock { $0.sentAt = date } }

  /// Notes a redirect that is followed.
  /// - Parameters:
  ///   - request: The request that the response is to, as it was sent.
  ///   - policy: The rules by which the next request is made.
  func isRedirected(_ request: Request, by response: Response, _ policy: RedirectPolicy, _ secrets: Secrets) {
    state.withLock { state in
      let seen = state.request
      guard !state.isLost, seen.address == request.address,
        case .follow(let next)? = try? policy.step(seen, response.head, followed: 0, secrets: secrets)
      else {
        state.isLost = true
        return
      }
      state.hops.append(Hop(request: seen, response: response, sentAt: state.sentAt ?? .distantPast))
      state.request = next
    }
  }

  /// The redirects, the request that got the final response, and when it was sent; nil if an interceptor sent another
  /// request, so that it is not known which request the response belongs to.
  var outcome: (hops: [Hop], request: Request, sentAt: Date?)? {
    if let counting { return counting.outcome }
    return state.withLock { $0.isLost ? nil : ($0.hops, $0.request, $0.sentAt) }
  }

  /// True if the response is to the first request, without a redirect.
  var isDirect: Bool { counting?.isDirect ?? state.withLock { !$0.isLost && $0.hops.isEmpty } }

  // MARK: Two attempts

  private var counting: ForwardRecord? { state.withLock { $0.counting } }

  /// Returns a record for one of two attempts at the same time.
  func branched() -> ForwardRecord {
    ForwardRecord(
      original, isConditional: isConditional, followed: followed, draft: makeDraft,
      finishesAbandonedStreams: finishesAbandonedStreams)
  }

  /// Makes the record of the attempt that decided the request count.
  func count(_ branch: ForwardRecord) {
    state.withLock {
      $0 = State(request: original)
      $0.counting = branch
    }
  }

  // MARK: Streams

  /// Returns a sink that passes a streamed body on to its reader, and to the store if the response is stored.
  func tee(_ reader: StreamSink, _ head: ResponseHead) -> any CountedSink {
    let sentAt = state.withLock { $0.isLost || !$0.hops.isEmpty ? nil : $0.sentAt }
    guard let makeDraft, let sentAt, let draft = makeDraft(head, sentAt) else { return reader }
    state.withLock { state in
      state.draft = draft
      state.isDrafted = true
    }
    return TeeSink(reader, draft.sink) { [weak self] in self?.abandonDraft() }
  }

  /// Ends the storing of a streamed body.
  /// - Parameters:
  ///   - isWhole: False if the body did not arrive completely.
  ///   - cancellation: The cancellation of the transfer, which ends the wait for the store.
  func endDraft(isWhole: Bool, unless cancellation: CancellationToken) async {
    guard isWhole else { return abandonDraft() }
    guard let draft = state.withLock({ $0.draft.take() }) else { return }
    try? await cancellation.interrupting { try await draft.commit() }
  }

  /// True if a streamed body is stored, or is being stored while its reader gets it.
  var isDrafted: Bool { counting?.isDrafted ?? state.withLock { $0.isDrafted } }

  private func abandonDraft() {
    let draft = state.withLock { state in
      state.isDrafted = false
      return state.draft.take()
    }
    draft?.abandon()
  }
}

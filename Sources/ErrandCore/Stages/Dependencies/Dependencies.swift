/// The calls that another call waits for.
final class Dependencies: Sendable {
  private let calls: [Call]
  private let state: Locked<DependencyState>
  private let verdict = Promise<Void>()

  init(_ calls: [Call]) {
    self.calls = calls
    state = Locked(DependencyState(count: calls.count))
  }

  /// Returns when all calls have succeeded.
  /// - Throws: `RequestError(.dependencyFailed)` as soon as one call has failed, or the error of
  ///   `cancellation` when it is cancelled.
  func wait(unless cancellation: CancellationToken) async throws {
    let ids = calls.enumerated().map { index, call in
      call.promise.listen { self.ended(index, call, $0) }
    }
    defer {
      for (call, id) in zip(calls, ids) { if let id { call.promise.stopListening(id) } }
    }
    try await verdict.value(unless: cancellation)
  }

  private func ended(_ index: Int, _ call: Call, _ outcome: Result<Response, any Error>) {
    switch outcome {
    case .success:
      if state.withLock({ $0.ended(index, succeeded: true) }) == .go { verdict.settle(.success(())) }
    case .failure(let error):
      if state.withLock({ $0.ended(index, succeeded: false) }) == .failed(index) {
        verdict.settle(.failure(failure(of: call, error)))
      }
    }
  }

  private func failure(of call: Call, _ error: any Error) -> RequestError {
    // Each failure in a chain of any length names the first one.
    let failure = error as? RequestError
    let first = failure?.code == .dependencyFailed ? failure?.underlying ?? error : error
    let reason = (first as? RequestError)?.message ?? first.shown
    return RequestError(
      .dependencyFailed, message: "not sent, because \(call) failed: \(reason)", reachedServer: false,
      underlying: first)
  }
}

/// Tracks several calls until all of them have succeeded, or the first has failed. Pure.
struct DependencyState: Sendable {
  enum Decision: Sendable, Hashable {
    case go
    /// The call at this index failed.
    case failed(Int)
  }

  private var waitsFor: Set<Int>
  private var isDecided = false

  init(count: Int) { waitsFor = Set(0..<count) }

  /// Records that a call has ended. Returns the decision, once.
  mutating func ended(_ index: Int, succeeded: Bool) -> Decision? {
    guard !isDecided else { return nil }
    waitsFor.remove(index)
    isDecided = !succeeded || waitsFor.isEmpty
    guard isDecided else { return nil }
    return succeeded ? .go : .failed(index)
  }
}

/// Waits for the calls that a request depends on, and raises them to its priority.
final class DependencyStage: Stage {
  let usage = StageUsage.requests(with: .dependencies)

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let calls = request.options.dependencies
    if calls.isEmpty { return try await next(request, context) }
    let rises = context.effectivePriority.onChange { [effectivePriority = context.effectivePriority] _ in
      for call in calls { call.rise(with: effectivePriority) }
    }
    defer { context.effectivePriority.removeChangeHandler(rises) }
    for call in calls { call.rise(with: context.effectivePriority) }
    try await wait(for: calls, context)
    return try await next(request, context)
  }

  private func wait(for calls: [Call], _ context: CallContext) async throws {
    context.events?.tell(.waiting(.dependencies))
    defer { context.events?.tell(.waited(.dependencies)) }
    try await Dependencies(calls).wait(unless: context.cancellation)
  }
}

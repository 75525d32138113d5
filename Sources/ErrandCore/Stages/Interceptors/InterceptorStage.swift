import Synchronization

/// Runs an app's interceptors around each call, or around each attempt.
final class InterceptorStage: Stage {
  enum Place {
    case call
    case attempt
  }

  let usage: StageUsage
  private let place: Place
  private let interceptors: [any Interceptor]
  private let normalizer: RequestNormalizer
  private let secrets: Secrets

  /// - Parameter isUsed: False if a client's requests do not pass the stage.
  init(
    around place: Place, _ interceptors: [any Interceptor], isUsed: Bool, _ normalizer: RequestNormalizer,
    secrets: Secrets
  ) {
    self.normalizer = normalizer
    self.place = place
    self.interceptors = interceptors
    self.secrets = secrets
    usage = isUsed ? .everyRequest : .none
  }

  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response {
    let chain = chain(request, context, next)
    context.watch?.take()
    defer { context.watch?.handOn() }
    guard place == .call else { return try await chain(request) }
    let nested = try NestedCall()
    // An app's interceptors may wait for anything, so they run in a task that can be cancelled.
    return try await context.cancellation.interrupting(late: Self.drop) {
      try await nested.run { try await chain(request) }
    }
  }

  private func chain(_ given: Request, _ context: CallContext, _ next: NextStage) -> InterceptorChain {
    let attempt = place == .call ? 0 : context.used
    return InterceptorChain(
      attempt: attempt, interceptors: interceptors[...], normalizer: normalizer, context: context
    ) { request in
      var request = request
      request.keepOrigins(of: given)
      context.watch?.handOn()
      defer { context.watch?.take() }
      do {
        // An interceptor that continues after its call was cancelled must not send anything.
        try context.cancellation.check()
        return try await next(request, context)
      } catch {
        throw self.told(error, request, context, attempt: attempt)
      }
    }
  }

  /// Returns a failure in the form in which an interceptor catches it: with its request, and with the reason
  /// if the call was cancelled.
  private func told(
    _ error: any Error, _ request: Request, _ context: CallContext, attempt: Int
  ) -> any Error {
    let attempt = max(attempt, (error as? RequestError)?.attempt ?? 0)
    let error = context.cancellation.failure(attempts: attempt) ?? error
    guard var error = error as? RequestError else { return error }
    error.attempt = attempt
    return error.about(request, secrets)
  }

  /// Drops a response that an interceptor returned after the call had ended.
  private static func drop(_ late: Response) {
    if case .chunks(let stream) = late.body { stream.cancellation.cancel(.cancelled(.streamDropped)) }
  }
}

extension Request {
  /// Keeps the origins of the given request's credential and signer, because interceptors may have created
  /// another request.
  fileprivate mutating func keepOrigins(of given: Request) {
    if let credential = given.options.credential, credential != options.credential {
      options.credential = credential
    }
    guard let own = options.ownSigner, own == given.options.ownSigner,
      address.originName != given.address.originName, let url, let before = given.url,
      !own.signer.maySign(url, redirectedFrom: before)
    else { return }
    options.signer = nil
    options.isUnsigned = true
  }
}

/// A call whose interceptors run. A request that one of them sends is nested in it, and so is a request that
/// the interceptors of that request send, and so on. An interceptor that sends its requests through its own
/// client would therefore never end.
final class NestedCall: Sendable {
  /// The innermost call for whose interceptors this task works.
  @TaskLocal static var current: NestedCall?
  /// The greatest depth of calls within one another. Cancelling a call cancels the calls nested in it, one
  /// within the other, on one stack.
  static let limit = 10

  /// The call that this one is nested in; nil once this call's interceptors have finished. A finished call
  /// waits for no request, so the count begins at 1 for a task that it left behind.
  private let outer: Locked<NestedCall?>

  /// - Throws: `RequestError` (`unsupported`), if the calls that this task works for are nested too deeply
  ///   already.
  init() throws(RequestError) {
    let outer = Self.current
    var (depth, next) = (1, outer)
    while let call = next { (depth, next) = (depth + 1, call.outer.withLock { $0 }) }
    guard depth <= Self.limit else {
      throw RequestError(
        .unsupported,
        message:
          "interceptors, signers or authenticators have sent requests within requests, \(Self.limit) deep: one of them "
          + "sends a request through a client that uses it, too; send that request through a client without it",
        reachedServer: false)
    }
    self.outer = Locked(outer)
  }

  /// Runs the interceptors of the call.
  func run<Value>(_ interceptors: () async throws -> Value) async rethrows -> Value {
    defer { outer.withLock { $0 = nil } }
    return try await Self.$current.withValue(self, operation: interceptors)
  }
}

extension CallContext {
  /// Runs an app's code for the call, such as a signer, like an interceptor: in a task that can be cancelled, because
  /// it may wait for anything.
  func runInterruptibly<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    watch?.take()
    defer { watch?.handOn() }
    let nested = try NestedCall()
    return try await cancellation.interrupting { try await nested.run(work) }
  }
}

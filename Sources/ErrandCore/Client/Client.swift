#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Sends requests. Make one client and keep it: it reuses its connections, and its requests share a retry
/// budget.
///
/// Cancelling the task that waits for a response cancels the request at once: the socket is closed, or the
/// HTTP/2 stream reset. The same happens when the request's scope ends.
public final class Client: Sendable {
  let pipeline: Pipeline

  /// Makes a client.
  /// - Parameters:
  ///   - transport: The transport that performs the requests. The client shuts it down in
  ///     `shutdown(within:)`.
  ///   - configuration: The defaults of the client's requests.
  public init(transport: any Transport, configuration: ClientConfiguration = ClientConfiguration()) {
    pipeline = Pipeline(transport: transport, configuration: configuration)
  }

  /// Sends a request and returns its response, whose body is held in memory.
  /// - Parameters:
  ///   - scope: The scope that the request ends with. See `RequestOwner` about waiting in an owner.
  ///   - progress: Called with the numbers of bytes of both bodies.
  /// - Throws: `RequestError`, or the error that an interceptor threw.
  @discardableResult
  public func send(
    _ request: Request, in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) async throws -> Response {
    try await pipeline.send(request, into: .memory, in: scope, progress: progress)
  }

  /// Sends a request and decodes the response's JSON, with the decoder of `ClientConfiguration.jsonDecoder`.
  ///
  /// ```swift
  /// let user = try await client.send(.get("users/7"), as: User.self)
  /// ```
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - scope: The scope that the request ends with.
  /// - Throws: `RequestError`; its code is `decodingFailed` if the response is not such a value. Or the error that an
  ///   interceptor threw.
  public func send<Value: Decodable>(
    _ request: Request, as type: Value.Type, in scope: RequestScope? = nil
  ) async throws -> Value {
    try await send(request, in: scope).decode(type)
  }

  /// Sends a request and writes its response's body to a file beside `file`, which replaces `file` at the
  /// end. A failure leaves `file` unchanged.
  ///
  /// If `file` is a symbolic link, its target is replaced. A pipe, a device, or a descriptor such as
  /// `/dev/stdout` is never replaced: the complete body is written to it.
  /// - Parameters:
  ///   - file: The file to write. Its folder must exist.
  ///   - resume: True to continue the part file that an earlier call with `resume` left beside the file, if
  ///     the server still has the same version. A failure leaves a part file there again. Default: false.
  ///   - ifChanged: True to download only a version that differs from the one in the file: the version of the last
  ///     such download is kept in a hidden file beside it. Without a newer version, the file is not touched, and the
  ///     response is a 304 (``Response/isUnchanged``). A file that was changed since, or that came from another URL, is
  ///     downloaded again. Default: false.
  ///   - limit: The maximum number of bytes of the file, after decompression; more are an error
  ///     (`bodyTooLarge`). Default: the client's `downloadLimit`, which is nil.
  ///   - scope: The scope that the request ends with.
  ///   - progress: Called with the numbers of bytes of both bodies.
  /// - Returns: The response, whose `file` is the given one. If an accepted response has no content (204,
  ///   205, 304, or any to HEAD), its `file` is nil, and the file is unchanged.
  @discardableResult
  public func download(
    _ request: Request, to file: URL, resume: Bool = false, ifChanged: Bool = false, limit: Int64? = nil,
    in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) async throws -> Response {
    var source = ""
    if ifChanged {
      let completed = pipeline.completed(request)
      try? await pipeline.authentication.prepare()
      let user = pipeline.cache.identity.present(completed, in: .exchange)
      source = FileVersion.source(of: completed, identity: user.text, secrets: secrets)
    }
    let version = ifChanged ? FileVersion.of(file, from: source) : nil
    let download = try Download.at(
      file, resumes: resume, isConditional: version != nil,
      limit: limit ?? pipeline.configuration.downloadLimit,
      secrets: secrets)
    do {
      var response = try await pipeline.send(
        version?.ifChanged(request) ?? request, into: .file(download), in: scope, progress: progress)
      guard response.bringsContent else {
        download.abandon()
        if response.status == 304, version != nil { response.body = .file(file) }
        return response
      }
      try await download.take(response.body)
      try await download.commit()
      response.body = .file(file)
      if ifChanged { FileVersion(response, source: source, file: file)?.write(beside: file) }
      return response
    } catch {
      download.abandon()
      throw error
    }
  }

  /// Sends a request and returns when the response's head has arrived. The response's `chunks` deliver the
  /// body as fast as they are consumed.
  public func stream(
    _ request: Request, in scope: RequestScope? = nil, progress: ProgressHandler? = nil
  ) async throws -> Response {
    try await pipeline.send(request, into: .stream, in: scope, progress: progress)
  }

  /// Starts a request and returns its call, which can be awaited, watched and cancelled. Other requests can
  /// depend on it.
  /// - Parameter scope: The scope that the request ends with.
  public func start(_ request: Request, in scope: RequestScope? = nil) -> Call {
    let request = pipeline.completed(request)
    let hub = ProgressHub()
    let context = pipeline.context(of: request, into: .memory, progress: hub, canChange: true, in: scope)
    let secrets = secrets
    // Does not capture the request, because it holds the calls it depends on, which would hold theirs in
    // turn.
    let call = Call(
      id: context.events?.id, cancellation: context.cancellation,
      effectivePriority: context.effectivePriority, progress: hub
    ) {
      [method = request.method, address = request.address] in
      "\(method) \(address.named(hiding: secrets))"
    }
    do {
      try pipeline.enter(request, context, scope)
    } catch {
      call.promise.settle(.failure(error))
      return call
    }
    Task(executorPreference: pipeline.timeline.counting?.executor) { [pipeline] in
      do {
        call.promise.settle(.success(try await pipeline.perform(request, context)))
      } catch {
        call.promise.settle(.failure(error))
      }
    }
    return call
  }

  /// Returns the request with its absolute URL and an encoded body, for code that stores it.
  package func completed(_ request: Request) -> Request { pipeline.completed(request) }

  /// Returns the request that a redirect leads to, without the credentials that must not be sent there; nil
  /// if the response is not a redirect.
  /// - Throws: `RequestError`, if the redirect must not be followed.
  package func redirected(_ request: Request, by response: Response) throws(RequestError) -> Request? {
    let step = try RedirectPolicy().step(request, response.head, followed: 0, secrets: secrets)
    if case .follow(let next) = step { return next }
    return nil
  }

  /// The secrets, which descriptions hide and which are not written to disk.
  package var secrets: Secrets { pipeline.configuration.secrets }

  /// Returns the digest of the name of the identity that a request is sent for; nil if the request is sent
  /// without a credential, if the identity has no name, or if no identity is signed in.
  /// - Throws: The error of the credential's store.
  package func identityDigest(of request: Request) async throws -> String? {
    try await pipeline.authentication.identityDigest(of: request)
  }

  /// Calls `listener` after each sign-in with the origins that the client's credential is for.
  /// - Returns: An object that ends the calls when it is released; nil if the client has no credential.
  package func onSignIn(_ listener: @escaping @Sendable ([URL]) -> Void) -> SignInListener? {
    guard let authentication = pipeline.configuration.authentication else { return nil }
    let origins = authentication.origins(below: pipeline.configuration.baseURL)
    return authentication.session.onSignIn { listener(origins.compactMap { URL(string: $0) }) }
  }

  /// The limits on the requests on the wire at once. They can be changed at any time. Lower limits let
  /// running requests finish; higher ones let waiting requests start at once.
  public var limits: ConcurrencyLimits {
    get { pipeline.slots.limits }
    set {
      pipeline.slots.limits = newValue
      pipeline.subscriptionSlots.limits = newValue.ofSubscriptions
    }
  }

  /// Shuts the client and its transport down: refuses new requests, ends event streams, lets requests in flight finish
  /// within `limit`, cancels the rest, and closes every connection. Clients that end at different times must not share a
  /// transport.
  public func shutdown(within limit: Duration = .seconds(10)) async {
    pipeline.inFlight.close()
    pipeline.subscriptions.close()
    pipeline.subscriptions.cancelAll(.cancelled(.clientShutDown))
    let force = Task { [pipeline] in
      try await pipeline.timeline.sleep(limit)
      pipeline.inFlight.cancelAll(.cancelled(.clientShutDown))
    }
    await pipeline.inFlight.whenEmpty()
    force.cancel()
    await pipeline.transport.shutdown()
  }
}

/// The size of a client's state, for the benchmarks, which are in another package.
@_spi(Benchmarks)
public struct ClientProbe: Sendable {
  private let pipeline: Pipeline

  public init(_ client: Client) { pipeline = client.pipeline }

  /// The number of repeat keys that the client remembers, plus the deadlines at which it forgets them.
  public var remembered: Int { pipeline.coalescing.states.count }

  /// The number of calls that have not ended, plus the slots that are taken or waited for.
  public var inFlight: Int {
    let load = pipeline.slots.load
    return pipeline.inFlight.count + load.running + load.waiting
  }
}

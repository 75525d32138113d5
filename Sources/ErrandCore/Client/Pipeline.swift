#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The whole chain, outermost first. Built once for each client; what a request does not use costs it nothing.
struct Pipeline: Sendable {
  let transport: any Transport
  let timeline: Timeline
  private let configuration: ClientConfiguration
  private let retries: Retries

  init(transport: any Transport, configuration: ClientConfiguration) {
    self.transport = transport
    self.configuration = configuration
    timeline = Timeline(configuration.clock)
    retries = Retries(configuration, timeline)
  }

  /// A request's life. Its answer comes back the same way.
  func perform(_ request: Request, _ run: Run) async throws -> Response {
    try await ended(request, run) { request in
      try await checked(request) { request in
        try await interrupted(request, run) { request in
          try await intercepted(request, by: configuration.interceptors, attempt: 0) { request in
            try await retries.perform(request, run) { request, attempt in
              try await intercepted(request, by: configuration.attemptInterceptors, attempt: attempt) {
                request in
                try await Attempt(attempt, run, configuration, transport, timeline).perform(request)
              }
            }
          }
        }
      }
    }
  }

  /// Says of every failure what it was about, and of every call that it is over.
  private func ended(
    _ request: Request, _ run: Run, _ next: (Request) async throws -> Response
  ) async throws -> Response {
    let timer = (request.options.deadline ?? configuration.deadline).map { deadline in
      Task {
        try await timeline.sleep(deadline)
        run.call.stop(.deadlineExceeded(deadline))
      }
    }
    if let timer { run.whenOver { timer.cancel() } }
    do {
      let response = try await next(request)
      await run.progress?.flush()
      // A stream is over when its last byte is here; its transfer says so.
      if response.chunks == nil { run.end() }
      return response
    } catch {
      await run.progress?.flush()
      run.end()
      // A stream that nobody held before the caller got it was let go by a check, and the check's word counts.
      let stopped = run.call.stopped.flatMap { $0 == .cancelled(.streamDropped) ? nil : $0 }
      let error = stopped.map(\.error) ?? error
      throw (error as? RequestError)?.about(request, configuration.secrets) ?? error
    }
  }

  /// Refuses what cannot be sent, and adds what every request of this client carries.
  private func checked(
    _ request: Request, _ next: (Request) async throws -> Response
  ) async throws -> Response {
    var request = request
    for field in configuration.fields where !request.fields.contains(field.name) {
      request.fields.append(field.name, field.value, isSecret: field.isSecret)
    }
    request.adoptUserOfURL()
    if let problem = request.problem {
      throw RequestError(.invalidRequest, message: problem, reachedServer: false)
    }
    return try await next(request)
  }

  /// Users' code inside may wait for anything, so it runs in a task that can be cancelled.
  private func interrupted(
    _ request: Request, _ run: Run, _ next: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    if configuration.interceptors.isEmpty, configuration.attemptInterceptors.isEmpty {
      return try await next(request)
    }
    return try await run.call.interrupting { try await next(request) }
  }

  private func intercepted(
    _ request: Request, by interceptors: [any Interceptor], attempt: Int,
    _ next: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    if interceptors.isEmpty { return try await next(request) }
    return try await Next(attempt: attempt, interceptors: interceptors[...], last: next)(request)
  }
}

extension Request {
  /// Why it cannot be sent, or nil.
  fileprivate var problem: String? {
    if case .invalid(_, let reason) = address { return reason }
    if !ASCII.isToken(method.rawValue) {
      return "the method \(method.rawValue.debugDescription) is not a token"
    }
    if case .invalid(let reason) = body.content { return reason }
    return fields.problem
  }

  /// `https://user:password@host` becomes basic authentication (RFC 7617), which redirects know how to drop.
  fileprivate mutating func adoptUserOfURL() {
    guard let url, let user = url.user(percentEncoded: false) else { return }
    let password = url.password(percentEncoded: false) ?? ""
    if !fields.contains("Authorization") {
      fields.append("Authorization", "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    parts?.user = nil
    parts?.password = nil
    if let bare = parts?.string { address = Address(bare) }
  }
}

extension RequestError {
  /// The same error, with the request it is about.
  fileprivate func about(_ request: Request, _ secrets: Secrets) -> RequestError {
    var error = self
    error.method = request.method
    error.url = secrets.redact(request.address.text)
    return error
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The whole chain, outermost first. Built once for each client; what a request does not use costs it nothing. A class,
/// because every stage holds on to it.
final class Pipeline: Sendable {
  let transport: any Transport
  let timeline: Timeline
  let configuration: ClientConfiguration
  private let retries: Retries
  let isIntercepted: Bool

  init(transport: any Transport, configuration: ClientConfiguration) {
    self.transport = transport
    self.configuration = configuration
    timeline = Timeline(configuration.clock)
    retries = Retries(
      budget: configuration.retryBudget, random: configuration.random, date: configuration.date,
      timeline: timeline)
    isIntercepted = !(configuration.interceptors.isEmpty && configuration.attemptInterceptors.isEmpty)
  }

  /// A request's life. Its answer comes back the same way.
  // What will be around a call (activity, scope, repeats, kept answers) goes before `aroundCall`; what will be in each try
  // before it is sent (dependencies and network, slot, signature) goes before and inside `Attempt`.
  func perform(_ request: Request, _ run: Run) async throws -> Response {
    try await ended(request, run) { request in
      try await self.checked(request) { request in
        try await self.aroundCall(request, run) { request in
          try await self.retried(request, run) { attempt in
            try await self.aroundTry(request, attempt) { request in
              try await Attempt(attempt, run, self).perform(request)
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
    if let deadline = request.options.deadline ?? configuration.deadline {
      run.end(after: deadline, on: timeline)
    }
    do {
      let response = try await next(request)
      await run.progress?.flush()
      // A stream is over when its last byte is here; its transfer says so.
      if case .chunks = response.body {} else { run.end() }
      return response
    } catch {
      await run.progress?.flush()
      run.end()
      let error = run.call.stopped.map { $0.error(tries: (error as? RequestError)?.attempt ?? 0) } ?? error
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
    try request.makeReady()
    return try await next(request)
  }

  /// Users' interceptors may wait for anything, so they run in a task that can be cancelled.
  private func aroundCall(
    _ request: Request, _ run: Run, _ next: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    guard isIntercepted else { return try await next(request) }
    let chain = Next(attempt: 0, interceptors: configuration.interceptors[...], last: next)
    return try await run.call.interrupting { try await chain(request) }
  }

  private func retried(
    _ request: Request, _ run: Run, _ next: (Int) async throws -> Response
  ) async throws -> Response {
    let state = RetryState(
      policy: request.options.retry ?? configuration.retry, method: request.method,
      hasIdempotencyKey: request.fields.contains("Idempotency-Key"), isReplayable: request.body.isReplayable)
    let deadline = request.options.deadline ?? configuration.deadline
    return try await retries.perform(state, of: run.call, since: run.started, deadline: deadline, next)
  }

  private func aroundTry(
    _ request: Request, _ attempt: Int, _ next: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> Response {
    guard !configuration.attemptInterceptors.isEmpty else { return try await next(request) }
    return try await Next(attempt: attempt, interceptors: configuration.attemptInterceptors[...], last: next)(
      request)
  }
}

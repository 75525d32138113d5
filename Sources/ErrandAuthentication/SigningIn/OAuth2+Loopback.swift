public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension OAuth2 {
  /// Signs a user in with the browser, for programs on a computer: the authorization code with PKCE (RFC 7636), whose
  /// redirect a port of this machine receives (RFC 8252, section 7.3).
  ///
  /// ```swift
  /// let tokens = try await method.authorize(over: client) { url in print("Sign in at \(url)") }
  /// try await session.signIn(tokens, identity: "ann")
  /// ```
  ///
  /// The port is open only on 127.0.0.1, and is closed when the function returns or throws. A request that is not this
  /// sign-in's redirect, such as one with another state, changes nothing.
  /// - Parameters:
  ///   - client: The client that sends the request for the tokens. Its credential is not sent.
  ///   - path: The path of the redirect, as the server knows it for this client. Default: `/callback`.
  ///   - port: The port of the redirect, for servers that do not accept any. Default: 0, for any free port.
  ///   - limit: How long the user has time, from the call of `open` on. Default: 5 min.
  ///   - parameters: Further parameters for the server, such as `prompt` or `audience`. Default: none.
  ///   - open: Shows the page at the URL to the user, such as in the browser. The URL has the sign-in's state, so show it to the
  ///     user only. It may return at once, or show the page until its task is cancelled, which happens with the redirect,
  ///     after the limit, and with the caller's task. The tokens are requested when it has returned.
  /// - Throws: `SignInError`; the error of the request for the tokens; the error that `open` threw. Cancelling the task
  ///   ends the sign-in.
  public func authorize(
    over client: Client, path: String = "/callback", port: Int = 0, within limit: Duration = .seconds(300),
    parameters: KeyValuePairs<String, String> = [:], open: (URL) async throws -> Void
  ) async throws -> Tokens {
    let receiver = try RedirectReceiver(path: path, port: port)
    let (authorization, redirected): (Authorization, String)
    do {
      // The port is free again before the tokens are requested.
      defer { receiver.stop() }
      authorization = try self.authorization(redirect: receiver.redirect, parameters: parameters)
      receiver.expect(authorization)
      let page = authorization.url
      redirected = try await receiver.redirected(within: limit, on: client.timeline) { try await open(page) }
    }
    guard let url = URL(string: redirected) else {
      throw SignInError(.foreignRedirect, "the redirect's URL is not valid")
    }
    return try await tokens(for: authorization, redirectedTo: url, over: client)
  }
}

extension RedirectReceiver {
  /// Waits for the redirect while `open` shows the page, and cancels `open` when the wait has ended.
  /// - Throws: As `wait`; the error of `open`.
  func redirected(
    within limit: Duration, on timeline: Timeline, isolation: isolated (any Actor)? = #isolation,
    _ open: () async throws -> Void
  ) async throws -> String {
    try await withoutActuallyEscaping(open) { open in
      let opening = Opening(open)
      // On the caller's actor, as if the caller had called the closure itself.
      let task = Task { [self] in
        _ = isolation
        do { try await opening.open() } catch { fail(error) }
      }
      let outcome: Result<String, any Error>
      do { outcome = .success(try await wait(limit, on: timeline)) } catch { outcome = .failure(error) }
      task.cancel()
      await task.value
      opening.release()
      return try outcome.get()
    }
  }

  /// A closure that is not sendable, for a task on the same actor that ends before the closure does.
  private final class Opening: @unchecked Sendable {
    private var closure: (() async throws -> Void)?

    init(_ closure: @escaping () async throws -> Void) { self.closure = closure }

    func open() async throws { try await closure?() }
    /// Releases the closure, which must not be kept. The task that opened the page has ended.
    func release() { closure = nil }
  }
}

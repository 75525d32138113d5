import ErrandCore
import ErrandServing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Receives the redirect of a sign-in on a port of this machine (RFC 8252, section 7.3). Other programs and pages can send
/// requests to the port as well, so only the redirect with the sign-in's state ends the wait.
final class RedirectReceiver: Sendable {
  /// The redirect's URL, and whether it ends the sign-in. Pure.
  struct Rule: Sendable {
    let authorization: OAuth2.Authorization
    /// The redirect's path as the server was sent it. `URL.path` would drop a slash at its end.
    let path: String

    enum Verdict: Equatable {
      /// The request ends the sign-in.
      case redirect(String)
      /// The request is not the redirect, and gets this status.
      case other(Int)
    }

    func verdict(on request: ServedRequest) -> Verdict {
      let redirect = authorization.redirect
      // A page of another name that leads to this machine (DNS rebinding) sends that name.
      guard request.fields["Host"] == "127.0.0.1:\(redirect.port ?? 0)" else { return .other(400) }
      guard request.target.prefix(while: { $0 != "?" }) == path else { return .other(404) }
      guard request.method == .get else { return .other(405) }
      let url = "http://127.0.0.1:\(redirect.port ?? 0)\(request.target)"
      return authorization.isEnded(by: url) ? .redirect(url) : .other(400)
    }
  }

  /// The part that the server's handler uses.
  private final class Inbox: Sendable {
    /// Nil until the sign-in has begun.
    let rule = Locked<Rule?>(nil)
    let received = Promise<String>()
  }

  private let server: PageServer
  private let inbox: Inbox
  private let path: String
  /// The URL to which the server redirects the user.
  let redirect: URL

  /// - Parameter port: The port; 0 for any free port.
  /// - Throws: `SignInError` (`invalidConfiguration`), if the port is in use.
  init(path: String, port: Int) throws(SignInError) {
    let inbox = Inbox()
    do {
      server = try PageServer(port: port) { request, respond in
        let verdict = inbox.rule.withLock { $0 }?.verdict(on: request) ?? .other(404)
        // The response comes before the end of the wait, which closes the port.
        respond(Self.page(verdict))
        if case .redirect(let url) = verdict { inbox.received.settle(.success(url)) }
      }
    } catch {
      throw SignInError(.invalidConfiguration, "the redirect cannot be received on port \(port): \(error)")
    }
    self.inbox = inbox
    guard Self.isPath(path), let url = URL(string: "http://127.0.0.1:\(server.port)\(path)") else {
      server.stop()
      throw SignInError(
        .invalidConfiguration,
        "the redirect's path \(path.prefix(100).debugDescription) is not one such as /callback")
    }
    redirect = url
    self.path = path
  }

  /// Returns true for a path that is written the same in every URL.
  private static func isPath(_ path: String) -> Bool {
    // Browsers resolve the segments `.` and `..`.
    path.hasPrefix("/") && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
      && path.utf8.allSatisfy { byte in
        48...57 ~= byte || 97...122 ~= ASCII.lowered(byte) || "/-_~.".utf8.contains(byte)
      }
  }

  func expect(_ authorization: OAuth2.Authorization) {
    inbox.rule.withLock { $0 = Rule(authorization: authorization, path: path) }
  }

  /// Ends the wait with an error, unless it has ended.
  func fail(_ error: any Error) { inbox.received.settle(.failure(error)) }

  /// Waits for the redirect.
  /// - Throws: `SignInError` (`expired`) after the time limit; `RequestError` (`cancelled`), if the task is cancelled.
  func wait(_ limit: Duration, on timeline: Timeline) async throws -> String {
    let received = inbox.received
    let timer = Task {
      try await timeline.sleep(limit)
      received.settle(
        .failure(SignInError(.expired, "the user did not sign in within \(limit.formattedSeconds)")))
    }
    defer { timer.cancel() }
    return try await received.value()
  }

  /// Frees the port.
  func stop() { server.stop() }

  private static func page(_ verdict: Rule.Verdict) -> ServedResponse {
    let (status, text) =
      switch verdict {
      case .redirect: (200, "You can close this page. The program continues the sign-in.")
      case .other(404): (404, "This page does not exist.")
      case .other(let status): (status, "This is not the page of the present sign-in.")
      }
    let fields: HTTPFields = [
      "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Connection": "close",
      "Content-Security-Policy": "default-src 'none'", "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    ]
    let page = "<!doctype html><meta charset=utf-8><title>Sign-in</title><p>\(text)</p>\n"
    return .whole(status: status, fields: fields, body: Data(page.utf8))
  }
}

import Dispatch
public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Routes that verify requests, or forward them to another server.
extension MockServer {
  /// Adds a route that verifies each request before its handler responds, for tests of signatures, digests and
  /// keys.
  ///
  /// ```swift
  /// server.on(
  ///   "/hook",
  ///   verifying: { request in
  ///     guard isSignature(request.fields["X-Signature"], of: request.body) else { throw Refusal() }
  ///   },
  ///   handler: { _ in .response(body: "accepted") })
  /// ```
  /// - Parameters:
  ///   - path: The path, as in `on(_:at:_:)`. The route accepts any method.
  ///   - verify: Throws to refuse the request. While it waits, the server handles no other request.
  ///   - refusal: Returns the response to a refused request. Default: 401 with the error's description.
  ///   - handler: Returns the response to a verified request.
  public func on(
    _ path: String, verifying verify: @escaping @Sendable (MockRequest) async throws -> Void,
    refusal: @escaping @Sendable (any Error) -> MockResponse = { .response(status: 401, body: "\($0)") },
    handler: @escaping Handler
  ) {
    on(path) { request in
      switch Self.wait({ try await verify(request) }) {
      case .success: handler(request)
      case .failure(let error): refusal(error)
      }
    }
  }

  /// Adds a route that forwards requests to another server and returns its responses, as a proxy does. It may
  /// change both. If the other server does not respond, the response is 502.
  /// - Parameters:
  ///   - path: The path, as in `on(_:at:_:)`. The route accepts any method.
  ///   - server: The other server.
  ///   - client: Sends the requests. It must not send requests to this server, which is busy meanwhile.
  ///   - change: Changes the forwarded request. Default: no change.
  ///   - changeResponse: Changes the header fields and the body of the returned response. Default: no change.
  public func forward(
    _ path: String, to server: MockServer, by client: Client,
    changing change: @escaping @Sendable (inout Request) -> Void = { _ in },
    changingResponse changeResponse: @escaping @Sendable (inout HTTPFields, inout Data) -> Void = { _, _ in }
  ) {
    on(path) { received in
      var fields = received.fields
      for name in Self.ownFields { fields.remove(name) }
      var request = Request(
        received.method, server.url(received.target), fields: fields,
        body: received.body.isEmpty ? .none : .bytes(received.body))
      change(&request)
      request = request.unsigned().unauthenticated().acceptingAnyStatus().redirects(RedirectPolicy(limit: 0))
      let sent = request
      switch Self.wait({ try await client.send(sent.bestEffort()) }) {
      case .failure: return .response(status: 502)
      case .success(let response):
        var (fields, body) = (response.fields, response.data)
        for name in Self.ownFields { fields.remove(name) }
        changeResponse(&fields, &body)
        return .response(status: response.status.code, fields: fields, body: body)
      }
    }
  }

  /// The header fields that apply to one connection only.
  private static var ownFields: [String] {
    ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"]
  }

  /// Blocks the server's thread until the work ends.
  private static func wait<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error> {
    let result = Locked<Result<Value, any Error>>(.failure(CancellationError()))
    let done = DispatchSemaphore(value: 0)
    Task {
      let outcome: Result<Value, any Error>
      do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
      result.withLock { $0 = outcome }
      done.signal()
    }
    done.wait()
    return result.withLock { $0 }
  }
}

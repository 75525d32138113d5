import Dispatch
public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Servers that verify requests, and proxies that change them.
extension MockServer {
  /// Adds a route whose requests are verified before they have a response: for tests of signatures, digests and keys.
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
  ///   - verify: Throws if the request is to be refused. It may wait; the server does nothing else meanwhile.
  ///   - refusal: The response to a request that was refused. Default: 401 with the error's description.
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

  /// Adds a route that passes requests on to another server, as a proxy in between that may change them, and returns
  /// its responses.
  /// - Parameters:
  ///   - client: Sends the requests. It must not be one whose requests go to this server.
  ///   - change: Changes the request on its way. Default: does nothing.
  ///   - changeResponse: Changes the response's fields and body on their way back. Default: does nothing.
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

  /// The fields that describe one connection.
  private static var ownFields: [String] {
    ["Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive"]
  }

  /// Waits for a task, on the server's own thread.
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

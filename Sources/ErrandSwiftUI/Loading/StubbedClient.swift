public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Client {
  /// Makes a client without a network, for previews. Each request gets the response that the closure returns.
  public convenience init(respondingBy respond: @escaping @Sendable (Request) async throws -> Response) {
    var configuration = ClientConfiguration()
    configuration.interceptors = [Responder(respond: respond)]
    configuration.retry = .never
    self.init(transport: NoTransport(), configuration: configuration)
  }
}

extension Response {
  /// Returns a response with a JSON body, for a stub.
  /// - Throws: The encoder's error, or an error if the request has no URL.
  public static func json(
    _ value: some Encodable, status: HTTPStatus = 200, for request: Request
  ) throws -> Response {
    guard let url = request.url else { throw URLMissing() }
    return Response(
      status: status, fields: ["Content-Type": "application/json"], data: try JSONEncoder().encode(value),
      url: url)
  }
}

private struct URLMissing: Error {}

private struct Responder: Interceptor {
  let respond: @Sendable (Request) async throws -> Response

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    // Without a transport, the request's validation has to be applied here.
    try request.validated(try await respond(request))
  }
}

/// A transport that refuses every request.
private struct NoTransport: Transport {
  func perform(_ exchange: Exchange) async throws -> TransferResult {
    throw exchange.error(
      .unsupported, "a client made with init(respondingBy:) cannot send requests", reachedServer: false)
  }

  func shutdown() async {}
}

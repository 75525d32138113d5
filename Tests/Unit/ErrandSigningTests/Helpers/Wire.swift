import ErrandCore
import ErrandCurl
import ErrandTesting

/// A client and a server, with a socket between them.
struct Wire: Sendable {
  let server: MockServer
  let client: Client

  init(_ change: (inout ClientConfiguration) -> Void = { _ in }) throws {
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .zero
    configuration.signerOrigins = [server.url("/")]
    change(&configuration)
    client = Client(transport: CurlTransport(), configuration: configuration)
  }
}

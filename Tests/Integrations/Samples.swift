import AsyncHTTPClient
import Errand
import ErrandAsyncHTTPClient
import ErrandHTTPTypes
import ErrandLogging
import ErrandMetrics
import ErrandOpenAPI
import ErrandServiceLifecycle
import ErrandTracing
import Foundation
import HTTPTypes
import Logging
import NIOCore
import OpenAPIRuntime
import ServiceLifecycle
import UnixSignals

// The samples of the article Neighbours.md and of Integrations/README.md. DocumentationTests compares them.

private func logs(_ folder: URL, _ client: Errand.Client) async throws {
  var configuration = ClientConfiguration()
  let logger = Logger(label: "http") { _ in fatalError() }
  configuration.listeners.append(.logger(logger))

  var outboxConfiguration = OutboxConfiguration()
  outboxConfiguration.logStoreFailures(to: logger)
  let outbox = try await Outbox(at: folder, client: client, configuration: outboxConfiguration)
  Task { await outbox.log(to: logger) }
}

private func measures(_ apiURL: URL) {
  var configuration = ClientConfiguration()
  let metrics = SwiftMetrics()
  configuration.listeners.append(metrics)
  configuration.tracing = .measuring(metrics)  // with spans too: Tracing(SwiftTracer(), meter: metrics)
}

private func traces(_ apiURL: URL, _ outbox: Outbox, _ request: Request) async throws {
  var configuration = ClientConfiguration()
  let tracer = SwiftTracer()
  configuration.tracing = Tracing(tracer, origins: [apiURL])

  try await TraceContext.$current.withValue(tracer.currentContext) {
    try await outbox.enqueue(request)
  }
}

private func services(
  _ client: Errand.Client, _ outbox: Outbox, _ server: any Service, _ logger: Logger
) async throws {
  let metrics = try Metrics.serve(port: 9464, client, outbox)
  let group = ServiceGroup(
    services: [metrics.service(), client.service(), outbox.service(within: .seconds(20)), server],
    gracefulShutdownSignals: [.sigterm], logger: logger)
  try await group.run()
}

private func types(_ client: Errand.Client, _ head: HTTPRequest, _ data: Data) async throws {
  let response = try await client.send(Request(head, body: .bytes(data)))
  let responseHead = HTTPResponse(response)
  _ = responseHead
}

private enum Servers {
  enum Server1 {
    static func url() throws -> URL { URL(filePath: "/") }
  }
}

private struct API {
  init(serverURL: URL, transport: any ClientTransport) {}
}

private func generated(_ client: Errand.Client) throws {
  let transport = ErrandTransport(client) { request, operation in
    operation == "listPets" ? request.deadline(.seconds(5)) : request
  }
  let api = API(serverURL: try Servers.Server1.url(), transport: transport)
  _ = api
}

private func loops(_ group: any EventLoopGroup) {
  var settings = HTTPClient.Configuration()
  settings.httpVersion = .http1Only
  let transport = AsyncHTTPClientTransport(eventLoopGroup: group, configuration: settings)
  let client = Client(transport: transport)
  _ = client
}

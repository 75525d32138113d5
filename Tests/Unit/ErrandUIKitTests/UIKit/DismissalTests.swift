#if canImport(UIKit)
  import ErrandCore
  import ErrandCurl
  @testable import ErrandConformance
  @testable import ErrandTesting
  import ErrandUIKit
  import Testing
  import UIKit

  extension UIKitTests {
    /// Dismisses a controller while its request is in each of its phases, over real sockets.
    @MainActor @Suite struct DismissalTests {
      private let screen = Screen()
      private let server: MockServer
      private let client = Client(transport: CurlTransport())

      init() throws { server = try MockServer() }

      /// Presents a sheet that sends a request, dismisses it once `phase` is reached, and checks that the
      /// request was cancelled because of that.
      private func dismiss(
        _ request: Request, when phase: () async throws -> Void,
        after end: () async throws -> Void = {}
      ) async throws {
        let sheet = Page("sheet")
        screen.navigation.present(sheet, animated: false)
        let task = sheet.requests.task { [client] in try await client.send(request) }
        try await phase()
        screen.navigation.dismiss(animated: false)
        let error = await #expect(throws: RequestError.self) { try await task.value }
        #expect(error?.isCancellation == true)
        #expect(sheet.requests.isCancelled)
        try await end()
        await client.shutdown(within: .zero)
        server.stop()
      }

      @Test func `a dismissed sheet cancels its request while it is connecting`() async throws {
        guard let hole = try BlackHole.silent() else { return }
        try await dismiss(.get("http://127.0.0.1:\(hole.port)/")) {
          // Nothing shows that it is connecting; the outcome is the same whenever it is cancelled.
          try await Task.sleep(for: .milliseconds(50))
        }
      }

      @Test func `a dismissed sheet cancels its request while it is sending`() async throws {
        server.on("POST", "/", at: .head) { _ in MockResponse.stall.withoutReading() }
        try await dismiss(.post(server.url("/"), .bytes(Data(count: 50_000_000)))) {
          try await server.waitForRequests(1)
        }
      }

      @Test func `a dismissed sheet cancels its request while its response is being received`() async throws {
        server.on("/") { _ in .response(body: Data(count: 100_000)).stalling(at: .body(50_000)) }
        try await dismiss(.get(server.url("/"))) {
          try await server.wait(for: "half the body") { $0.connections.first?.bytesSent ?? 0 > 50_000 }
        } after: {
          try await server.waitUntilClosed(connection: 1)
        }
      }

      @Test func `a dismissed sheet cancels its request while it waits for its next attempt`() async throws {
        server.on("/") { _ in .response(status: 503, fields: ["Retry-After": "50"]) }
        try await dismiss(.get(server.url("/"))) {
          try await server.wait(for: "the refusal") { $0.connections.first?.bytesSent ?? 0 > 0 }
        }
        #expect(server.count("/") == 1)
      }

      @Test func `a dismissed sheet cancels its request while it waits for a slot`() async throws {
        server.on("/") { _ in .stall }
        client.limits = ConcurrencyLimits(total: 1)
        let first = client.start(.get(server.url("/")))
        try await server.waitForRequests(1)
        try await dismiss(.get(server.url("/second"))) {}
        #expect(server.count("/second") == 0)
        _ = await first.result
      }
    }
  }
#endif

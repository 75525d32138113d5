import ErrandCore
import ErrandCurl
import ErrandObservability
import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

/// Reads recordings with mitmproxy, an independent reader of HAR files.
@Suite(
  .timeLimit(.minutes(2)),
  .enabled("SKIPPED: mitmproxy is not installed (scripts/peers watching; ERRAND_WATCHING_PYTHON)") {
    await Mitmproxy.isInstalled
  })
struct MitmproxyTests {
  @Test func `mitmproxy reads a recording with the original values`() async throws {
    let folder = try TemporaryFolder()
    let server = try MockServer()
    server.script(
      "POST", "/a", [.response(status: 503, fields: ["Retry-After": "0"]), .response(body: "stored")])
    server.on("/moved") { _ in .redirect(302, to: "/there") }
    server.on("/there") { _ in .response(fields: ["Content-Type": "text/plain"], body: "hello") }
    var configuration = ClientConfiguration()
    configuration.listeners = [try HARRecorder(file: folder.file("calls.har"))]
    configuration.retry.backoff = .zero
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let post = Request.post(server.url("/a"), .form(["a": "1", "password": "secret"])).idempotencyKey("k")
    _ = try await client.send(post.field("X-A", "b"))
    _ = try await client.send(.get(server.url("/moved")))
    let flows = try await Mitmproxy.flows(in: folder.file("calls.har"))
    #expect(
      flows == [
        Mitmproxy.Flow(method: "POST", path: "/a", request: "a=1&password=***", status: 503, response: ""),
        Mitmproxy.Flow(
          method: "POST", path: "/a", request: "a=1&password=***", status: 200, response: "stored"),
        Mitmproxy.Flow(method: "GET", path: "/moved", request: "", status: 302, response: ""),
        Mitmproxy.Flow(method: "GET", path: "/there", request: "", status: 200, response: "hello"),
      ])
  }
}

/// mitmproxy, which `scripts/peers watching` installs.
private enum Mitmproxy {
  struct Flow: Codable, Equatable {
    let method: String
    let path: String
    let request: String
    let status: Int
    let response: String
  }

  private static let program = """
    import json, sys
    from mitmproxy.io import FlowReader
    flows = [{
        "method": flow.request.method, "path": flow.request.path, "request": flow.request.get_text() or "",
        "status": flow.response.status_code, "response": flow.response.get_text() or "",
    } for flow in FlowReader(sys.stdin.buffer).stream()]
    print(json.dumps(flows))
    """

  private static var path: String {
    ProcessInfo.processInfo.environment["ERRAND_WATCHING_PYTHON"] ?? "python3"
  }

  static var isInstalled: Bool {
    get async { (try? await Program.output(of: "env", [path, "-c", "import mitmproxy"])) != nil }
  }

  static func flows(in file: URL) async throws -> [Flow] {
    let output = try await Program.output(
      of: "env", [path, "-c", program], input: Data(contentsOf: file))
    return try JSONDecoder().decode([Flow].self, from: output)
  }
}

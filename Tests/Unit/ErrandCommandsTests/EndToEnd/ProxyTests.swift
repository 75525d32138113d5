import ErrandCore
import ErrandTesting
import Foundation
import Testing

/// Proxies from the environment, which needs a separate process.
@Suite(.timeLimit(.minutes(1))) struct ProxyTests {
  private let proxy: MockServer
  private let server: MockServer

  init() throws {
    proxy = try MockServer()
    proxy.otherwise { .response(body: "by proxy: \($0.target)") }
    server = try MockServer()
    server.otherwise { _ in .response(body: "directly") }
  }

  private func get(_ url: String, _ variables: String) async throws -> Tool.Result {
    try await Tool.shell(
      "unset no_proxy; http_proxy=http://127.0.0.1:\(proxy.port) \(variables) $errand get \(url)")
  }

  @Test func `the proxy of the environment is used, except for hosts in no_proxy`() async throws {
    let url = "\(server.url("/x"))"
    let cases = [
      ("", true), ("no_proxy=127.0.0.1", false), ("NO_PROXY=127.0.0.1", false), ("no_proxy='*'", false),
      ("no_proxy=elsewhere.test", true), ("no_proxy=a.test,127.0.0.1", false),
    ]
    for (variables, goesByProxy) in cases {
      let result = try await get(url, variables)
      #expect(result.text == (goesByProxy ? "by proxy: \(url)" : "directly"), "\(variables)")
    }
    #expect(proxy.requests.count == 2 && server.requests.count == 4)
  }

  @Test func `an unusable proxy of the environment is reported without its password`() async throws {
    let result = try await Tool.shell(
      "unset no_proxy; http_proxy='http://me:s3cret@[::1' $errand get \(server.url("/"))")
    #expect(result.code != 0 && !result.error.isEmpty)
    #expect(!result.error.contains("s3cret"), "\(result.error)")
    #expect(server.requests.isEmpty)
  }
}

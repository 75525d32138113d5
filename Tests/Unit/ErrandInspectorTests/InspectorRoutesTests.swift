import ErrandCore
import ErrandServing
import Foundation
import Testing

@testable import ErrandInspector

@Suite struct InspectorRoutesTests {
  private let routes = InspectorRoutes(token: "abc123", port: 8090)

  /// Returns the status with which a request is refused; nil if it is accepted.
  private func refusal(
    _ method: HTTPMethod, _ target: String, _ fields: HTTPFields, body: String = ""
  ) -> Int? {
    var request = ServedRequest(method: method, target: target, fields: fields)
    request.body = Data(body.utf8)
    guard case .refused(let status) = routes.route(request) else { return nil }
    return status
  }

  @Test func `a request with the token gets the page`() {
    for host in ["127.0.0.1:8090", "localhost:8090"] {
      for path in [
        "", "console.js", "console.css", "events", "calls/7", "calls.har", "export", "cache",
        "outbox/requests", "outbox/count?state=stored", "outbox/request?id=a",
      ] {
        #expect(refusal(.get, "/abc123/\(path)", ["Host": host]) == nil)
      }
    }
  }

  @Test(arguments: [
    "/", "/abc123", "/abc124/", "/ABC123/", "/abc1234/", "//", "/abc123/calls/x", "/abc123/../", "",
  ])
  func `a request without the token, or to another path, gets a 404`(target: String) {
    #expect(refusal(.get, target, ["Host": "127.0.0.1:8090"]) == 404)
  }

  @Test func `requests with another host, another origin or from another site are refused`() {
    let here: HTTPFields = ["Host": "127.0.0.1:8090"]
    #expect(refusal(.get, "/abc123/", [:]) == 403)
    for host in ["evil.example:8090", "127.0.0.1", "127.0.0.1:80", "evil.example"] {
      #expect(refusal(.get, "/abc123/", ["Host": host]) == 403)
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1:8090", "http://localhost:8090"] {
      var fields = here
      fields.set("Origin", origin)
      #expect(refusal(.get, "/abc123/", fields) == 403)
    }
    var fields = here
    fields.set("Sec-Fetch-Site", "cross-site")
    #expect(refusal(.get, "/abc123/", fields) == 403)
  }

  @Test func `an action must be a POST of JSON from the page itself`() {
    let fields: HTTPFields = [
      "Host": "127.0.0.1:8090", "Origin": "http://127.0.0.1:8090", "Content-Type": "application/json",
    ]
    let body = #"{"name":"pause"}"#
    #expect(refusal(.post, "/abc123/action", fields, body: body) == nil)
    #expect(refusal(.get, "/abc123/action", fields, body: body) == 404)
    #expect(refusal(.post, "/abc124/action", fields, body: body) == 404)
    #expect(refusal(.post, "/abc123/action", fields, body: "{") == 400)
    for name in ["Origin", "Content-Type"] {
      var fewer = fields
      fewer.remove(name)
      #expect(refusal(.post, "/abc123/action", fewer, body: body) == 400)
    }
  }

  @Test func `the policy of the page allows nothing from elsewhere and no inline script`() {
    #expect(InspectorRoutes.policy.hasPrefix("default-src 'none'"))
    #expect(!InspectorRoutes.policy.contains("unsafe"))
    let names = [
      "console.html", "console.css", "console.js", "body.js", "calls.js", "connection.js", "details.js",
      "dom.js",
      "filter.js", "format.js", "hex.js", "json.js", "lists.js", "model.js", "order.js", "outbox.js",
      "rows.js",
      "saving.js", "waterfall.js",
    ]
    for name in names {
      let text = ConsoleFile(path: name).map { String(decoding: $0.content, as: UTF8.self) } ?? ""
      #expect(!text.isEmpty)
      for part in [
        "style=", " onclick=", "<script>", "innerHTML", "insertAdjacentHTML", "document.write", "eval(",
        "https:",
      ] {
        #expect(!text.contains(part), "\(name): \(part)")
      }
    }
  }
}

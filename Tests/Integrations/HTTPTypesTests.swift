import Errand
import ErrandHTTPTypes
import ErrandTesting
import Foundation
import HTTPTypes

/// Sends a request through a client, and returns what the transport got.
private func sent(_ request: Request, base: String? = nil) async throws -> StubRequest {
  let stub = StubTransport([.response()])
  var configuration = ClientConfiguration()
  configuration.baseURL = base.flatMap { URL(string: $0) }
  try await Client(transport: stub, configuration: configuration).send(request)
  return stub.requests[0]
}

private func head(
  _ scheme: String?, _ authority: String?, _ path: String?, _ fields: HTTPTypes.HTTPFields = [:]
) -> HTTPRequest {
  HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path, headerFields: fields)
}

/// Returns the code of the error with which a head is not sent.
private func refusal(of head: HTTPRequest) async -> RequestError.Code? {
  do {
    _ = try await sent(Request(head))
    return nil
  } catch {
    return (error as? RequestError)?.code
  }
}

let httpTypesTests = [
  IntegrationTest("fields keep their order, their repeats, their case and their secrecy in both directions") {
    var fields: Errand.HTTPFields = ["x-b": "1", "Accept": "a, b", "X-B": "", "Set-Cookie": "a=1, b"]
    fields.append("X-Mine", "ü", isSecret: true)
    fields.append("Authorization", "Bearer x")
    guard let types = HTTPTypes.HTTPFields(fields) else { return expect(false, "nil") }
    expectEqual(types.map(\.name.rawName), fields.map(\.name))
    expectEqual(types.map(\.value), fields.map(\.value))
    expectEqual(types.map { $0.indexingStrategy == .disallow }, fields.map(\.isSecret))
    let back = Errand.HTTPFields(types)
    expectEqual(back, fields)
    expectEqual(back.map(\.isSecret), fields.map(\.isSecret))
    expectEqual(HTTPTypes.HTTPFields(["X-A": " a\t"])?.map(\.value), ["a"])
    expectEqual(HTTPTypes.HTTPFields(["X-A": "a\nb"]), nil)
    expectEqual(HTTPTypes.HTTPFields(["X A": "a"]), nil)
    expectEqual(HTTPTypes.HTTPFields([":path": "/"]), nil)
  },
  IntegrationTest("a head is sent to its URL, whose percent-encoding is not changed") {
    let path = "/a%2Fb/%E2%82%AC?q=%20+a&b=%26"
    var request = Request(
      head("https", "a.test:8443", path, [.contentLength: "3", .contentType: "text/plain"]))
    request.body = .text("abc")
    let got = try await sent(request)
    expectEqual(got.url.absoluteString, "https://a.test:8443\(path)")
    expectEqual(got.fields["Content-Length"], nil)
    expectEqual(got.fields["Content-Type"], "text/plain")
    expectEqual(got.text, "abc")
    expectEqual(try await sent(Request(head("http", "a.test", nil))).url.absoluteString, "http://a.test")
    expectEqual(
      try await sent(Request(head(nil, nil, "/x?y=1")), base: "https://a.test/v1").url.absoluteString,
      "https://a.test/v1/x?y=1")
  },
  IntegrationTest("a head that would lead to another URL is refused") {
    let heads = [
      head("https", "a.test", "@evil.test/"), head("https", "a.test", ".evil.test"),
      head("https", "a.test", "*"),
      head("https", "a.test/x", "/"), head("https", "user@a.test", "/"), head("https", "", "/"),
      head(nil, "a.test", "/"), head("https", nil, "/"), head("https", "a.test", "/#x"),
      head(nil, nil, "//evil.test/"),
    ]
    for head in heads { expectEqual(await refusal(of: head), .invalidRequest) }
    var connect = head("https", "a.test", "/")
    connect.extendedConnectProtocol = "websocket"
    expectEqual(await refusal(of: connect), .invalidRequest)
  },
  IntegrationTest("a request becomes the same head again") {
    let original = head("https", "a.test:8443", "/a%2Fb?x=%26", [.contentType: "text/plain"])
    expectEqual(HTTPRequest(Request(original)), original)
    expectEqual(HTTPRequest(.get("https://a.test?x=1"))?.path, "/?x=1")
    expectEqual(HTTPRequest(.get("https://a.test/a#b"))?.path, "/a")
    expectEqual(HTTPRequest(.get("relative")), nil)
    expectEqual(HTTPRequest(Request("BAD METHOD", "https://a.test/")), nil)
  },
  IntegrationTest("a response becomes a head") {
    let response = Response(
      status: 404, fields: ["Set-Cookie": "a=1", "set-cookie": "b=2"], url: URL(string: "https://a.test")!)
    let head = HTTPResponse(response)
    expectEqual(head?.status.code, 404)
    expectEqual(head?.headerFields.map(\.value), ["a=1", "b=2"])
    expectEqual(HTTPResponse(status: 1000, fields: [:]), nil)
  },
]

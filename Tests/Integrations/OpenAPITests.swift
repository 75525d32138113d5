import Errand
import ErrandOpenAPI
import ErrandTesting
import Foundation
import HTTPTypes
import OpenAPIRuntime

private func transport(
  _ stub: StubTransport,
  configure: @escaping @Sendable (Request, String) -> Request = { request, _ in request }
) -> ErrandTransport {
  var configuration = ClientConfiguration()
  configuration.retry.backoff = .zero
  return ErrandTransport(Client(transport: stub, configuration: configuration), configure: configure)
}

private let server = URL(string: "https://a.test/v1")!

private func operation(_ path: String, method: HTTPRequest.Method = .get) -> HTTPRequest {
  HTTPRequest(
    method: method, scheme: nil, authority: nil, path: path, headerFields: [.contentType: "application/json"])
}

private func data(_ body: HTTPBody?) async throws -> Data {
  var data = Data()
  guard let body else { return data }
  for try await chunk in body { data.append(contentsOf: chunk) }
  return data
}

/// Chunks that can be read once, and that are made only when they are read.
private struct Chunks: AsyncSequence, Sendable {
  let count: Int
  let size: Int
  let made: Collected<Int>

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: Int
    let size: Int
    let made: Collected<Int>

    mutating func next() async throws -> [UInt8]? {
      guard rest > 0 else { return nil }
      rest -= 1
      made.append(size)
      return [UInt8](repeating: 1, count: size)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: count, size: size, made: made) }
}

let openAPITests = [
  IntegrationTest("the server's URL and the path are joined with their percent-encoding") {
    let cases = [
      ("https://a.test/v1", "/pets/a%2Fb?q=%26", "https://a.test/v1/pets/a%2Fb?q=%26"),
      ("https://a.test/v1/", "/pets", "https://a.test/v1/pets"),
      ("https://a.test", "/pets?a=1", "https://a.test/pets?a=1"),
      ("https://a.test/v%201?key=k#x", "/pets?a=1", "https://a.test/v%201/pets?a=1&key=k"),
      ("https://a.test/v1", "", "https://a.test/v1"),
      ("https://a.test/v1", "pets", "https://a.test/v1/pets"),
      ("https://a.test/v1", "?a=1", "https://a.test/v1?a=1"),
    ]
    for (server, path, expected) in cases {
      let stub = StubTransport([.response()])
      _ = try await transport(stub).send(
        operation(path), body: nil, baseURL: URL(string: server)!, operationID: "op")
      expectEqual(stub.requests.map(\.url.absoluteString), [expected])
    }
  },
  IntegrationTest("small bodies are sent again by retries, and the response is streamed") {
    let stub = StubTransport([
      .response(status: 503),
      .response(fields: ["Content-Length": "6"], chunks: [Data("abc".utf8), Data("def".utf8)]),
    ])
    let (head, body) = try await transport(stub).send(
      operation("/pets", method: HTTPRequest.Method("PUT")!), body: HTTPBody(Array("{}".utf8)),
      baseURL: server,
      operationID: "put")
    expectEqual(stub.requests.map(\.text), ["{}", "{}"])
    expectEqual(stub.requests.map { $0.fields["Content-Type"] }, ["application/json", "application/json"])
    expectEqual(head.status.code, 200)
    expectEqual(body?.length, .known(6))
    expectEqual(String(decoding: try await data(body), as: UTF8.self), "abcdef")
  },
  IntegrationTest("the generated code gets every status, with its fields and its body") {
    for status in [400, 401, 404, 429, 503] {
      let stub = StubTransport([
        .response(status: status, fields: ["X-A": "1", "x-a": "2", "Retry-After": "0"], body: "why")
      ])
      let (head, body) = try await transport(stub).send(
        operation("/pets"), body: nil, baseURL: server, operationID: "list")
      expectEqual(head.status.code, status)
      expectEqual(head.headerFields[values: HTTPField.Name("X-A")!], ["1", "2"])
      expectEqual(String(decoding: try await data(body), as: UTF8.self), "why")
      expectEqual(stub.requests.count, [429, 503].contains(status) ? 3 : 1)
    }
  },
  IntegrationTest(
    "a refused response whose body is not complete is an error, and other failures are errors too"
  ) {
    for step in [StubStep.response(status: 503, body: Data(count: 100_000)), .fail(.connectionLost)] {
      do {
        _ = try await transport(StubTransport([step])).send(
          operation("/"), body: nil, baseURL: server, operationID: "op")
        expect(false, "no error")
      } catch {
        expect(error is RequestError, "\(error)")
      }
    }
  },
  IntegrationTest("a body that can be read once is streamed, with its length and without being read ahead") {
    let mock = try MockServer()
    mock.on("/v1/up") { _ in .response(status: 201) }
    let client = Client()
    let base = mock.url("/v1")
    for length in [HTTPBody.Length.known(3 << 20), .unknown] {
      let made = Collected<Int>()
      let body = HTTPBody(
        Chunks(count: 3, size: 1 << 20, made: made), length: length, iterationBehavior: .single)
      let (head, _) = try await ErrandTransport(client).send(
        operation("/up", method: .post), body: body, baseURL: base, operationID: "up")
      expectEqual(head.status.code, 201)
      expectEqual(made.values.count, 3)
    }
    let requests = mock.requests
    expectEqual(requests.map { $0.fields["Content-Length"] }, ["\(3 << 20)", nil])
    expectEqual(requests.map(\.bodyBytes), [3 << 20, 3 << 20])
    await client.shutdown()
    mock.stop()
  },
  IntegrationTest("a body of another length than it says is not sent") {
    let body = HTTPBody(
      Chunks(count: 1, size: 3, made: Collected()), length: .known(2), iterationBehavior: .multiple)
    do {
      _ = try await transport(StubTransport([.response()])).send(
        operation("/", method: .post), body: body, baseURL: server, operationID: "op")
      expect(false, "no error")
    } catch {
      expectEqual((error as? RequestError)?.code, .bodyFailed)
    }
  },
  IntegrationTest("a response without a body has none, and a released body cancels its request") {
    let stub = StubTransport([.response(status: 204)])
    let (_, none) = try await transport(stub).send(
      operation("/"), body: nil, baseURL: server, operationID: "op")
    expect(none == nil)

    let mock = try MockServer()
    mock.on("/v1/long") { _ in .response(body: Data(count: 64 << 20)) }
    let client = Client()
    var body: HTTPBody? = try await ErrandTransport(client).send(
      operation("/long"), body: nil, baseURL: mock.url("/v1"), operationID: "long"
    ).1
    expect(body != nil)
    body = nil
    _ = try await mock.waitUntilClosed(connection: 1)
    await client.shutdown()
    mock.stop()
  },
  IntegrationTest("options belong to an operation, and the caller's cancellation ends its request") {
    let stub = StubTransport([.stall])
    let transport = transport(stub) { request, operation in
      operation == "slow" ? request.timeout(.seconds(3600)) : request
    }
    let task = Task {
      try await transport.send(operation("/"), body: nil, baseURL: server, operationID: "slow")
    }
    try await stub.waitForRequests()
    expectEqual(stub.requests[0].timeout, .seconds(3600))
    task.cancel()
    if case .failure(let error) = await task.result {
      expect(error.isCancellation, "\(error)")
    } else {
      expect(false, "the cancelled operation has a response")
    }
  },
]

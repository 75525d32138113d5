import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ResponseCacheConformance {
  static let httpCaching: [Case] = [
    Case("serves the HTTP cache: fresh responses, variants, users and validation") { harness in
      let client = try harness.client()
      for _ in 0..<2 {
        for (fields, name) in [
          (["Accept-Language": "de"], "de "), (["Accept-Language": "en"], "en "),
          (["Authorization": "Bearer a"], " Bearer a"), ([:], " "),
        ] as [(HTTPFields, String)] {
          let text = try await client.send("/page", fields).text
          try harness.expect(text == "\(name) 1", "the response is \(text), expected \(name) 1")
        }
      }
      try harness.equal(client.sent, 4, "requests that reached the server")
      client.wait(61)
      let renewed = try await client.send("/page", ["Accept-Language": "de"])
      try harness.equal(renewed.text, "de  1", "the response that a 304 renewed")
      try harness.equal(renewed.cacheStatus?.forwardStatus, 304, "the server's status")
      let again = try await client.send("/page", ["Accept-Language": "de"])
      try harness.equal(again.cacheStatus?.isHit, true, "a hit after the renewal")
      try harness.equal(client.sent, 5, "requests that reached the server")
    },

    Case("serves the HTTP cache: a change removes all responses of its URL") { harness in
      let client = try harness.client()
      for language in ["de", "en"] { _ = try await client.send("/page", ["Accept-Language": language]) }
      _ = try await client.send("/other")
      _ = try await client.send("/page", method: .post)
      let listed = try await client.store.list().map(\.key.name)
      try harness.equal(listed, ["http://cache.test/other"], "the URLs of the responses after the change")
      for language in ["de", "en"] {
        let text = try await client.send("/page", ["Accept-Language": language]).text
        try harness.equal(text, "\(language)  2", "the response after the change")
      }
      let other = try await client.send("/other")
      try harness.equal(other.cacheStatus?.isHit, true, "a hit of another URL")
    },

    Case("serves the HTTP cache: streams, their parts, and streams that break off") { harness in
      let client = try harness.client()
      var bodies: [Data] = []
      for _ in 0..<2 {
        let response = try await client.stream("/large")
        var body = Data()
        for try await chunk in response.chunks { body.append(chunk) }
        bodies.append(body)
      }
      try harness.expect(bodies.allSatisfy { $0 == HTTPCacheClient.large }, "a streamed body differs")
      try harness.equal(client.sent, 1, "requests for the streamed body")
      let part = try await client.send("/large", ["Range": "bytes=99990-100009"])
      try harness.equal(part.data, Data(HTTPCacheClient.large[99_990..<100_010]), "a part of the stored body")
      try harness.equal(client.sent, 1, "requests for the stored body")
      do {
        for try await _ in try await client.stream("/broken").chunks {}
        throw ConformanceFailure("the broken stream ended")
      } catch is RequestError {}
      let names = try await client.store.list().map(\.key.name)
      try harness.equal(names, ["http://cache.test/large"], "the URLs of the stored responses")
    },
  ]
}

extension ResponseCacheHarness {
  fileprivate func client() throws -> HTTPCacheClient { HTTPCacheClient(try store()) }
}

/// A client that uses the store by HTTP's rules, and its server.
private final class HTTPCacheClient: Sendable {
  /// Larger than the part of a file that is read at once.
  static let large = Data.noise(300_000)

  let store: any ResponseCache
  private let client: Client
  private let server: StubTransport
  private let state: State

  private final class State: Sendable {
    let date = Locked(Date(timeIntervalSince1970: 1_700_000_000))
    let version = Locked(1)
  }

  init(_ store: any ResponseCache) {
    self.store = store
    let state = State()
    self.state = state
    server = StubTransport { request in
      if request.method == .post {
        state.version.withLock { $0 += 1 }
        return .response(status: 204)
      }
      if request.url.path() == "/large" || request.url.path() == "/broken" {
        let chunks = stride(from: 0, to: Self.large.count, by: 50_000).map {
          Data(Self.large[$0..<min($0 + 50_000, Self.large.count)])
        }
        // The body of `/broken` is shorter than announced.
        let length = request.url.path() == "/large" ? Self.large.count : Self.large.count + 1
        return .response(
          fields: ["Cache-Control": "max-age=60", "ETag": "\"large\"", "Content-Length": "\(length)"],
          chunks: chunks)
      }
      let (language, user) = (request.fields["Accept-Language"] ?? "", request.fields["Authorization"] ?? "")
      let text = "\(language) \(user) \(state.version.withLock { $0 })"
      let fields: HTTPFields = [
        "Cache-Control": "max-age=60", "Vary": "Accept-Language", "ETag": "\"\(text)\"",
      ]
      return request.fields["If-None-Match"]?.contains("\"\(text)\"") == true
        ? .response(status: 304, fields: fields) : .response(fields: fields, body: text)
    }
    var configuration = ClientConfiguration()
    configuration.cache = .http(store)
    configuration.retry = .never
    configuration.date = { state.date.withLock { $0 } }
    client = Client(transport: server, configuration: configuration)
  }

  /// The number of requests that reached the server.
  var sent: Int { server.requests.count }

  func wait(_ seconds: Double) { state.date.withLock { $0 += seconds } }

  func send(_ path: String, _ fields: HTTPFields = [:], method: HTTPMethod = .get) async throws -> Response {
    try await client.send(request(path, fields, method))
  }

  func stream(_ path: String) async throws -> Response { try await client.stream(request(path, [:], .get)) }

  private func request(_ path: String, _ fields: HTTPFields, _ method: HTTPMethod) -> Request {
    var request = Request(method, "http://cache.test\(path)")
    for field in fields { request = request.field(field.name, field.value) }
    return request
  }
}

import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

/// Equal values make the same request, however often they are created and encoded.
@Suite(.timeLimit(.minutes(1))) struct JSONRepeatsOnSocketsTests {
  private struct Order: Encodable, Sendable {
    struct Buyer: Encodable, Sendable {
      var firstName = "Ada"
      var lastName = "L"
      var points = ["b": [1], "a": [2], "d": [], "c": [4]]
    }

    var item = "book"
    var count = 2
    var buyer = Buyer()
    var note = "x"
    var price = 9.5
  }

  private let server: MockServer
  private let clock = VirtualClock()

  init() throws {
    server = try MockServer()
    server.otherwise { .response(body: $0.text) }
  }

  private func client(_ encoder: (@Sendable () -> JSONEncoder)?) -> Client {
    var configuration = ClientConfiguration()
    configuration.clock = clock
    configuration.jsonEncoder = encoder
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  private static func snakeCase() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
  }

  private func expectOneOfTwo(_ client: Client, _ body: () -> RequestBody) async throws {
    for tap in 0..<20 {
      let url = server.url("/tap/\(tap)")
      try await client.send(.post(url, body()).ignoringRepeats())
      await #expect {
        try await client.send(.post(url, body()).ignoringRepeats())
      } throws: {
        ($0 as? RequestError)?.code == .ignoredRepeat
      }
    }
    #expect(server.requests.count == 20)
    #expect(Set(server.requests.map(\.text)).count == 1)
  }

  @Test(arguments: [true, false])
  func `twenty double taps with a value of five fields are twenty requests`(ownEncoder: Bool) async throws {
    try await expectOneOfTwo(client(ownEncoder ? Self.snakeCase : nil)) { .json(Order()) }
  }

  @Test func `twenty double taps with a dictionary are twenty requests`() async throws {
    try await expectOneOfTwo(client(nil)) { .json(["a": 1, "b": 2, "c": 3, "d": 4]) }
  }

  @Test func `twenty double taps with the same set are twenty requests`() async throws {
    let tags: Set = ["a", "b", "c", "d"]
    try await expectOneOfTwo(client(nil)) { .json(["tags": tags]) }
  }

  @Test func `twenty double taps with an explicit encoder are twenty requests`() async throws {
    let encoder = Self.snakeCase()
    try await expectOneOfTwo(client(nil)) { .json(Order(), encoder: encoder) }
    #expect(encoder.outputFormatting == [])
  }

  @Test(arguments: [true, false])
  func `ten shared posts of equal values are one request`(ownEncoder: Bool) async throws {
    let gate = ServerGate()
    server.on("/orders") {
      gate.pass()
      return .response(body: $0.text)
    }
    let client = client(ownEncoder ? Self.snakeCase : nil)
    let calls = (0..<10).map { _ in
      client.start(.post(server.url("/orders"), json: Order()).shared(within: .seconds(3)))
    }
    try await server.waitForRequests(1)
    gate.open()
    var bodies: Set<String> = []
    for call in calls { bodies.insert(try await call.value.text) }
    #expect(server.requests.count == 1)
    #expect(bodies.count == 1)
  }
}

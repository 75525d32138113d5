import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

/// Tests which parts of its client's configuration an outbox uses.
@Suite(.timeLimit(.minutes(1))) struct ClientDefaultsTests {
  private struct Note: Encodable { let noteTitle = "Milk" }

  private let harness: OutboxHarness
  private var server: MockServer { harness.server }

  init() throws { harness = try OutboxHarness() }

  @Test func `a relative URL and a JSON body are stored as the client completes them`() async throws {
    server.on("/v1/notes/a%2Fb") { _ in .response() }
    let client = harness.client {
      $0.baseURL = server.url("/v1")
      $0.jsonEncoder = {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
      }
    }
    let first = try await harness.outbox(client) { $0.delivers = false }
    let id = try await first.enqueue(.post(.path("notes/\("a/b")"), json: Note())).id
    #expect(try await first.status(of: id)?.url == server.url("/v1/notes/a%2Fb").absoluteString)
    await first.close()
    // The next launch has another configuration.
    let second = try await harness.outbox()
    #expect(try await second.receipt(for: id)?.outcome().response != nil)
    #expect(server.requests.map(\.path) == ["/v1/notes/a%2Fb"])
    #expect(server.requests.map(\.text) == [#"{"note_title":"Milk"}"#])
    await second.close()
  }

  @Test func `a body that cannot be encoded is refused, and the error does not quote its value`() async throws
  {
    struct Login: Encodable {
      var password = "hush"

      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "\(self)"))
      }
    }
    let outbox = try await harness.outbox()
    let error = await #expect(throws: OutboxError.self) {
      try await outbox.enqueue(.post(server.url("/"), json: Login()))
    }
    #expect(error?.message.contains("Login") == true)
    #expect(!"\(String(describing: error))\(String(reflecting: error))".contains("hush"))
    await outbox.close()
  }

  @Test func `a request that the client cannot complete is refused before it is stored`() async throws {
    let outbox = try await harness.outbox(harness.client { $0.baseURL = URL(string: "https://h/v1") })
    for request: Request in [
      .get("../x"), .get("//h/x"), .delete(.path("notes/\("")")), .post("notes", json: Double.nan),
    ] {
      let error = await #expect(throws: OutboxError.self) { try await outbox.enqueue(request) }
      #expect(error?.code == .notStorable)
    }
    await outbox.close()
    let other = try await harness.outbox()
    let error = await #expect(throws: OutboxError.self) { try await other.enqueue(.get("notes")) }
    #expect(error?.message.contains("baseURL") == true)
    await other.close()
  }

  @Test func `an attempt of the outbox is one attempt of the client, whatever its retry policy`() async throws
  {
    server.on("/") { _ in .response(status: 503) }
    let client = harness.client { $0.retry = .attempts(5) }
    let outbox = try await harness.outbox(client) { $0.delivery.maxAttempts = 2 }
    let receipt = try await outbox.enqueue(.put(server.url("/"), .text("x")).attempts(3))
    guard case .deadLettered = try await receipt.outcome() else {
      Issue.record("the request did not become a dead letter")
      return
    }
    #expect(server.requests.count == 2)
    #expect(try await outbox.status(of: receipt.id)?.attempts == 2)
    await outbox.close()
  }
}

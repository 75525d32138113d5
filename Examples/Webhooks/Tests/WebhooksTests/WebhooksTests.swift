import Errand
import ErrandCurl
import ErrandSigning
import ErrandTesting
import Foundation
import Testing

@testable import Webhooks

@Suite(.timeLimit(.minutes(1))) struct WebhooksTests {
  private let folder = URL.temporaryDirectory.appending(path: "webhooks-\(UUID().uuidString)")
  private let customers: Customers
  private let server: MockServer

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    customers = Customers(file: folder.appending(path: "customers.json"))
    server = try MockServer()
  }

  private func sender(_ addresses: AddressPolicy = .publicOnly(except: ["127.0.0.0/8"])) async throws
    -> Sender
  {
    try await Sender(
      store: folder.appending(path: "store").path, customers: customers, delivers: true, addresses: addresses)
  }

  @Test func `an event arrives signed with its customer's secret, and once`() async throws {
    let customer = try customers.set(server.url("/hook"), for: "anna")
    server.script("POST", "/hook", [.reset, .response(status: 204)])
    let sender = try await sender()
    let receipt = try await sender.send(Data(#"{"order": 7}"#.utf8), id: "event-7", to: "anna")
    _ = try await sender.send(Data(#"{"order": 7}"#.utf8), id: "event-7", to: "anna")
    guard case .delivered = try await receipt.outcome() else { throw Customers.Unknown(name: "anna") }
    await sender.close()

    #expect(server.requests.count == 2)
    let signer = try WebhookSigner(customer.secret)
    for request in server.requests {
      #expect(try signer.verify(request.fields, body: request.body) == "event-7")
    }
  }

  @Test func `a customer who refuses an event gets it again by hand`() async throws {
    try customers.set(server.url("/hook"), for: "ben")
    server.script("POST", "/hook", [.response(status: 422, body: "unknown order"), .response(status: 204)])
    let sender = try await sender()
    _ = try await sender.send(Data("{}".utf8), id: "1", to: "ben").outcome()
    let failed = try await sender.failed()
    #expect(failed.map(\.id.rawValue) == ["ben/1"])
    #expect(failed.first?.reason?.contains("422") == true)
    try await sender.outbox.retry(OutboxSelection(ids: failed.map(\.id)))
    try await sender.outbox.waitUntilEmpty()
    #expect(try await sender.failed().isEmpty)
    await sender.close()
  }

  @Test func `a customer's URL does not lead into the network of the sender`() async throws {
    try customers.set(server.url("/admin"), for: "eve")
    let sender = try await sender(.publicOnly)
    let receipt = try await sender.send(Data("{}".utf8), id: "1", to: "eve")
    for await event in receipt.events {
      guard case .failed(let reason, _) = event.step else { continue }
      #expect(reason.contains("127.0.0.1"))
      break
    }
    await sender.close()
    #expect(server.requests.isEmpty)
  }
}

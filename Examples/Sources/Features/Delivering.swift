import Errand
import ErrandTesting
import Foundation

private func configuration() -> OutboxConfiguration {
  var configuration = OutboxConfiguration()
  configuration.delivery.backoff = .milliseconds(20)
  return configuration
}

/// A request that must arrive is on disk before the first byte is sent.
@Sendable func outbox(_ server: MockServer) async throws {
  server.script("POST", "/messages", [.response(status: 503), .response(status: 201)])
  try await withFolder { folder in
    let outbox = try await Outbox(at: folder, client: Client(), configuration: configuration())
    let receipt = try await outbox.enqueue(.post(server.url("/messages"), .text("hello")))
    if case .delivered(let response) = try await receipt.outcome() {
      try show("delivered: \(response.status), after \(server.requests.count) attempts")
    }
    let keys = Set(server.requests.map { $0.fields["Idempotency-Key"] })
    try show("both attempts had the same Idempotency-Key", keys.count == 1)
    await outbox.close()
  }
}

/// Requests of one lane arrive in their order, and lanes do not wait for each other.
@Sendable func lanes(_ server: MockServer) async throws {
  server.script("POST", "/chat", [.response(status: 503), .response()])
  server.on("POST", "/likes") { _ in .response() }
  try await withFolder { folder in
    let outbox = try await Outbox(at: folder, client: Client(), configuration: configuration())
    let messages = ["a", "b", "c"].map { Request.post(server.url("/chat"), .text($0)) }
    try await outbox.enqueue(messages, lane: "chat/42")
    try await outbox.enqueue(.post(server.url("/likes")), lane: "likes")
    try await outbox.waitUntilEmpty()
    let texts = server.requests.filter { $0.path == "/chat" }.map(\.text)
    try show("the server saw \(texts.joined(separator: " "))", texts == ["a", "a", "b", "c"])
    await outbox.close()
  }
}

/// A request that the server rejects is a dead letter until it is retried or dropped.
@Sendable func deadLetters(_ server: MockServer) async throws {
  server.script("POST", "/orders", [.response(status: 422, body: "no such article"), .response(status: 201)])
  try await withFolder { folder in
    let outbox = try await Outbox(at: folder, client: Client(), configuration: configuration())
    let receipt = try await outbox.enqueue(.post(server.url("/orders"), .text("a unicorn")))
    if case .deadLettered(let reason, _) = try await receipt.outcome() {
      try show("a dead letter: \(reason)")
    }
    try await outbox.retry(OutboxSelection(states: [.deadLettered]))
    try await outbox.waitUntilEmpty()
    let state = try await receipt.status()?.state
    try show("after a retry by hand: \(state.map { "\($0)" } ?? "unknown")", state == .delivered)
    await outbox.close()
  }
}

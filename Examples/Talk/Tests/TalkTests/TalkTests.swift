import Errand
import ErrandTesting
import Foundation
import Testing

@testable import Talk

@Suite(.timeLimit(.minutes(1))) struct TalkTests {
  private let server: MockServer
  private let eventStream: HTTPFields = ["Content-Type": "text/event-stream"]

  init() throws { server = try MockServer() }

  private func conversation() -> Conversation {
    Conversation(client: Conversation.makeClient(server.url("/v1/"), key: "secret"))
  }

  private func pieces(_ words: String...) -> String {
    words.map { "data: {\"choices\":[{\"delta\":{\"content\":\"\($0)\"}}]}\n\n" }.joined()
  }

  @Test func `a reply arrives in pieces, and the next question has the conversation`() async throws {
    server.on("POST", "/v1/chat/completions") {
      [eventStream, body = pieces("Hel", "lo") + "data: [DONE]\n\n"] request in
      guard request.fields["Authorization"] == "Bearer secret" else { return .response(status: 401) }
      return .response(fields: eventStream, body: body)
    }
    var conversation = conversation()
    var shown: [String] = []
    try await conversation.ask("Hi") { shown.append($0) }
    try await conversation.ask("Again?") { _ in }
    #expect(shown == ["Hel", "lo"])
    #expect(conversation.messages.map(\.content) == ["Hi", "Hello", "Again?", "Hello"])
    #expect(server.requests[1].text.contains("Again?") && server.requests[1].text.contains("Hello"))
  }

  @Test func `a busy server is asked again`() async throws {
    server.script(
      "POST", "/v1/chat/completions",
      [
        .response(status: 429, fields: ["Retry-After": "1"]),
        .response(fields: eventStream, body: pieces("ok") + "data: [DONE]\n\n"),
      ])
    var conversation = conversation()
    try await conversation.ask("Hi") { _ in }
    #expect(conversation.messages.last?.content == "ok")
    #expect(server.requests.count == 2)
  }

  @Test func `a reply that is stopped stays as far as it came`() async throws {
    server.on("POST", "/v1/chat/completions") { [eventStream, body = pieces("Once", " upon")] _ in
      .response(fields: eventStream, body: body).announcingNoLength().stalling(at: .body(body.utf8.count))
    }
    let (shown, show) = AsyncStream<String>.makeStream()
    let task = Task { [conversation = conversation()] in
      var conversation = conversation
      try? await conversation.ask("A story") { show.yield($0) }
      return conversation.messages
    }
    for await piece in shown where piece == " upon" { break }
    task.cancel()
    #expect(await task.value.map(\.content) == ["A story", "Once upon"])
    try await server.waitForOpenConnections(0)
  }

  @Test func `a conversation that is saved arrives, and its newest version replaces one that waits`()
    async throws
  {
    server.script("PUT", "/notes/trip", [.reset, .response(status: 201)])
    let folder = URL.temporaryDirectory.appending(path: "talk-\(UUID().uuidString)")
    let notes = try await Notes(server.url("/notes"), in: folder, client: Client())
    try await notes.outbox.pause()
    try await notes.save([Message(role: "user", content: "first")], as: "trip")
    try await notes.save([Message(role: "user", content: "second")], as: "trip")
    try await notes.outbox.resume()
    try await notes.outbox.waitUntilEmpty()
    // A later version, after the first one has arrived, is sent as well.
    try await notes.save([Message(role: "user", content: "third")], as: "trip")
    try await notes.outbox.waitUntilEmpty()
    await notes.outbox.close()
    #expect(server.requests.filter { $0.text.contains("first") }.isEmpty)
    #expect(server.requests.last?.text.contains("third") == true)
  }
}

// swift-format-ignore-file
import Errand
import Foundation

struct EventStreams {
  struct Article: Decodable, Sendable { let title: String }
  struct Question: Encodable, Sendable { let text: String }
  struct Answer: Decodable, Sendable { let text: String }
  struct Defaults: Sendable { var lastID: String? }

  func handle(_ article: Article) {}
  func show(_ article: Article) {}

  func plain(_ client: Client) async throws {
    for try await event in client.events(.get("https://example.com/news")) {
      print(event.type, event.data)
    }
  }

  func kept(_ client: Client, _ defaults: inout Defaults) async throws {
    var options = EventStreamOptions()
    options.onReconnection = { print("connecting again:", $0.delay) }
    for try await event in client.events(.get("https://example.com/news"), after: defaults.lastID, options: options) {
      try handle(event.decode(Article.self))
      defaults.lastID = event.id
    }
  }

  func asked(_ client: Client) async throws {
    let question = Request.post("https://api.example.com/chat", json: Question(text: "Why?"))
    for try await event in client.events(question) where event.data != "[DONE]" {
      print(try event.decode(Answer.self).text)
    }
  }

  func lines(_ client: Client) async throws {
    for try await line in try await client.stream(.get("https://example.com/log")).lines {
      print(line)
    }
  }

  func articles(_ client: Client) async throws {
    for try await article in try await client.stream(.get("https://example.com/feed.jsonl")).jsonLines(as: Article.self) {
      show(article)
    }
    for try await article in try await client.stream(.get("https://example.com/all.json")).decodeEach(as: Article.self) {
      show(article)
    }
  }
}

import Errand
import Foundation

/// A message of a conversation, in the form of the chat API that most servers of language models have.
struct Message: Codable, Equatable, Sendable {
  var role: String
  var content: String
}

/// A conversation with a language model, whose replies arrive word by word.
struct Conversation: Sendable {
  private struct Question: Encodable {
    let model: String
    let messages: [Message]
    let stream = true
  }

  private struct Piece: Decodable {
    struct Choice: Decodable {
      struct Delta: Decodable { var content: String? }
      var delta: Delta
    }
    var choices: [Choice]
  }

  let client: Client
  var model = "default"
  private(set) var messages: [Message] = []

  init(client: Client, model: String = "default") { (self.client, self.model) = (client, model) }

  /// Makes a client for a server such as `https://llm.example.com/v1/`.
  static func makeClient(_ server: URL, key: String?) -> Client {
    var configuration = ClientConfiguration()
    configuration.baseURL = server
    // The key goes to this server only.
    configuration.authentication = key.map { .bearer($0) }
    return Client(configuration: configuration)
  }

  /// Asks, and passes on each piece of the reply as it arrives. If the task is cancelled, the conversation keeps the part
  /// that has arrived.
  mutating func ask(_ text: String, _ show: (String) -> Void) async throws {
    messages.append(Message(role: "user", content: text))
    var reply = ""
    defer {
      if reply.isEmpty {
        messages.removeLast()
      } else {
        messages.append(Message(role: "assistant", content: reply))
      }
    }
    // With this key, a busy server (429, 503) gets the question again. A reply that broke off is not requested again,
    // because the model would give another one.
    let request = Request.post("chat/completions", json: Question(model: model, messages: messages))
      .idempotencyKey(UUID().uuidString)
    for try await event in client.events(request) {
      if event.data == "[DONE]" { return }
      guard let piece = try event.decode(Piece.self).choices.first?.delta.content else { continue }
      reply += piece
      show(piece)
    }
  }
}

/// Saves conversations on a server for notes. A conversation that is saved without a network arrives later, also in a later
/// run.
struct Notes: Sendable {
  let url: URL
  let outbox: Outbox

  init(_ url: URL, in folder: URL, client: Client) async throws {
    self.url = url
    var configuration = OutboxConfiguration()
    configuration.lifetime = .seconds(30 * 86_400)
    outbox = try await Outbox(at: folder, client: client, configuration: configuration)
  }

  /// Stores the conversation on disk. A later version of the same conversation replaces one that was not sent yet.
  func save(_ messages: [Message], as name: String) async throws {
    let id = OutboxID(rawValue: name)
    var item = OutboxItem(.put(url.appending(path: name), json: messages), id: id)
    item.ifKnown = .replace
    do {
      try await outbox.enqueue(item)
    } catch let error as OutboxError where error.code == .known {
      // The earlier version is being sent, or has arrived: this one is a separate request.
      item.id = nil
      try await outbox.enqueue(item)
    }
  }
}

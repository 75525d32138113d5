import Errand
import Foundation
import Synchronization

/// A chat with a language model in the terminal. See README.md.
@main struct Talk {
  static let help =
    "Type a question. /save NAME saves the conversation, /quit ends, control-C stops a reply."

  static func main() async {
    let variables = ProcessInfo.processInfo.environment
    guard let server = variables["TALK_SERVER"].flatMap({ URL(string: $0) }) else {
      print(
        "TALK_SERVER is missing: the URL of a server with the chat API, such as http://localhost:11434/v1/")
      exit(2)
    }
    let client = Conversation.makeClient(server, key: variables["TALK_KEY"])
    do {
      let notes: Notes? =
        if let url = variables["TALK_NOTES"].flatMap({ URL(string: $0) }) {
          try await Notes(url, in: URL.homeDirectory.appending(path: ".talk-notes"), client: Client())
        } else {
          nil
        }
      print(help)
      try await talk(Conversation(client: client, model: variables["TALK_MODEL"] ?? "default"), notes)
      await notes?.outbox.close(within: .seconds(5))
    } catch {
      print(error)
      exit(1)
    }
    await client.shutdown(within: .seconds(1))
  }

  static func talk(_ conversation: Conversation, _ notes: Notes?) async throws {
    var conversation = conversation
    while true {
      write("> ")
      guard let line = await nextLine() else { return }
      switch line.split(separator: " ", maxSplits: 1).map(String.init) {
      case []: continue
      case ["/quit"]: return
      case let words where words[0] == "/save":
        guard let notes, words.count == 2 else {
          print("Set TALK_NOTES to the URL of a server for notes, and write /save NAME.")
          continue
        }
        try await notes.save(conversation.messages, as: words[1])
        print("Saved. It is sent now, or as soon as there is a network.")
      default:
        conversation = await reply(to: line, in: conversation)
      }
    }
  }

  /// Asks, and returns the conversation with the reply. Control-C ends the reply, and not the program.
  static func reply(to line: String, in conversation: Conversation) async -> Conversation {
    let result = Latest(conversation)
    do {
      try await untilSignal([SIGINT]) {
        var conversation = conversation
        defer { result.set(conversation) }
        try await conversation.ask(line) { write($0) }
      }
      print()
    } catch {
      print("\n\(error)")
    }
    return result.value
  }

  /// Reads a line on a separate thread, because waiting for a person would block a task's thread.
  static func nextLine() async -> String? {
    await withCheckedContinuation { line in
      Thread { line.resume(returning: readLine()) }.start()
    }
  }

  /// Writes at once, where `print` would wait for the end of a line.
  static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

/// The newest value of several.
final class Latest<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  init(_ value: Value) { storage = Mutex(value) }

  var value: Value { storage.withLock { $0 } }

  func set(_ value: Value) { storage.withLock { $0 = value } }
}

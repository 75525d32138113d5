// swift-format-ignore-file
#if canImport(SwiftUI)
import Errand
import ErrandSwiftUI
import Foundation
import SwiftUI
import ErrandTesting
import Testing

struct Note: Codable, Equatable, Sendable, Identifiable {
  let id: String
  let text: String
}

func makeClient(_ server: URL) -> Client {
  var configuration = ClientConfiguration()
  configuration.baseURL = server
  return Client(configuration: configuration)
}

struct NotesApp: App {
  @State private var store = LoadStore(makeClient(URL(string: "https://notes.example.com")!))

  var body: some Scene {
    WindowGroup { NoteList().errand(store) }
  }
}

struct NoteList: View {
  @Loaded(.get("notes")) private var notes: Loading<[Note]>

  var body: some View {
    VStack {
      if let error = notes.error { Text("\(error)") }
      List(notes.value ?? []) { note in Text(note.text) }
    }
    .loads($notes)
  }
}

struct Search: View {
  @State private var text = ""

  var body: some View {
    VStack {
      TextField("Search", text: $text)
      FoundNotes(text)
    }
  }
}

struct FoundNotes: View {
  @Loaded private var found: Loading<[Note]>

  init(_ text: String) { _found = Loaded(.get("notes", query: ["q": text])) }

  var body: some View {
    List(found.value ?? []) { note in Text(note.text) }
      .loads($found)
  }
}

struct ExportPage: View {
  let client: Client
  let file: URL
  @State private var page = ViewRequests("export")

  var body: some View {
    Button("Export") {
      page.scope.task { try await client.download(.get("notes/export"), to: file, resume: true) }
    }
    .requests(page)
  }
}

struct NoteSender {
  let outbox: Outbox

  init(in folder: URL, client: Client) async throws {
    outbox = try await Outbox(at: folder, client: client)
  }

  /// Returns when the note is on disk. From then on it arrives.
  func send(_ text: String) async throws {
    let note = Note(id: UUID().uuidString, text: text)
    try await outbox.enqueue(.post("notes", json: note), lane: "notes", id: OutboxID(rawValue: note.id))
  }
}

struct Compose: View {
  let sender: NoteSender
  @State private var text = ""

  var body: some View {
    VStack {
      TextField("New note", text: $text)
      Button("Save") { [text] in
        Task { try await sender.send(text) }
      }
    }
  }
}

@Test func `a note arrives although the first response is lost`() async throws {
  let server = try MockServer()
  server.script("POST", "/notes", [.reset, .response(status: 201)])
  let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
  let sender = try await NoteSender(in: folder, client: makeClient(server.url("/")))

  try await sender.send("Buy milk")
  try await sender.outbox.waitUntilEmpty()

  let requests = server.requests
  #expect(requests.count == 2)
  #expect(requests[0].fields["Idempotency-Key"] == requests[1].fields["Idempotency-Key"])
  #expect(try JSONDecoder().decode(Note.self, from: requests[1].body).text == "Buy milk")
}

@MainActor private func preview() -> some View {
  NoteList().errandStub { request in try .json([Note(id: "1", text: "Buy milk")], for: request) }
}
#endif

import Errand
import ErrandSwiftUI
import SwiftUI

struct ChatView: View {
  let chat: Chat
  @State private var text = ""

  var body: some View {
    VStack {
      if chat.isOffline { Text("No network. Messages will be sent when it is back.") }
      if let problem = chat.problem { Text(problem) }
      List {
        Messages(revision: chat.delivered)
        ForEach(chat.waiting) { draft in Text("\(draft.text) · \(draft.reason ?? "sending")") }
        ForEach(chat.rejected) { draft in RejectedRow(draft: draft, chat: chat) }
      }
      HStack {
        TextField("Message", text: $text)
        Button("Send") {
          let written = text
          text = ""
          chat.send(written)
        }
      }
    }
    .navigationTitle("Chat")
  }
}

/// The messages of the server. They are loaded when the view appears, when the user pulls it, when the network
/// is back after a failure, and after each delivery. Meanwhile the old messages stay.
private struct Messages: View {
  @Loaded private var messages: Loading<[Message]>

  init(revision: Int) {
    _messages = Loaded(revision) { client, scope in
      try await client.send(.get("messages").priority(.userInitiated), in: scope).decode()
    }
  }

  var body: some View {
    VStack {
      ForEach(messages.value ?? []) { message in Text("\(message.author): \(message.text)") }
      if messages.error != nil { Text("The newest messages could not be loaded.") }
      if messages.isRefreshing { ProgressView() }
    }
    .loads($messages)
  }
}

/// A message that the server has rejected. The user decides whether to send it again or delete it.
private struct RejectedRow: View {
  let draft: Chat.Draft
  let chat: Chat

  var body: some View {
    HStack {
      Text("\(draft.text) · not sent: \(draft.reason ?? "rejected")")
      Button("Send again") { Task { await chat.sendAgain(draft) } }
      Button("Delete") { Task { await chat.giveUp(draft) } }
    }
  }
}

import Errand
import ErrandSwiftUI
import SwiftUI

struct ChatView: View {
  let chat: Chat
  @State private var text = ""

  var body: some View {
    VStack {
      if chat.isOffline { Text("No network. Messages are sent when it is back.") }
      if let problem = chat.problem { Text(problem) }
      List {
        Messages(revision: chat.delivered)
        ForEach(chat.waiting) { draft in Text("\(draft.text) · \(draft.reason ?? "on its way")") }
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

/// What the server has: loaded when the view appears, when it is pulled, when the network is back after a failure, and
/// whenever a message was delivered. Meanwhile the old messages stay.
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
      if messages.error != nil { Text("The newest messages are not here yet.") }
      if messages.isRefreshing { ProgressView() }
    }
    .loads($messages)
  }
}

/// A message that the server does not take. Nothing is lost: the user decides.
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

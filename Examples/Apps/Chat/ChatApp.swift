import Errand
import ErrandSwiftUI
import SwiftUI

@main struct ChatApp: App {
  @State private var chat = Chat(
    URL(string: "https://chat.example.com/")!,
    folder: FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
      .appending(path: "chat"))

  var body: some Scene {
    WindowGroup {
      ChatScreen(chat: chat)
    }
  }
}

/// The chat view, with the tasks that deliver messages and follow the network.
struct ChatScreen: View {
  let chat: Chat

  var body: some View {
    NavigationStack { ChatView(chat: chat) }
      .errand(chat.store)
      .task { await chat.deliver() }
      .task { await chat.followNetwork() }
  }
}

import Errand
import ErrandSwiftUI
import SwiftUI

@main struct ChatApp: App {
  @State private var chat = Chat(URL(string: "https://chat.example.com/")!)
  // Where the system keeps what belongs to an app, and removes nothing by itself.
  private let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]

  var body: some Scene {
    WindowGroup {
      ChatScreen(chat: chat, folder: support.appending(path: "chat"))
    }
  }
}

/// The chat with what goes on behind it.
struct ChatScreen: View {
  let chat: Chat
  let folder: URL

  var body: some View {
    NavigationStack { ChatView(chat: chat) }
      .errand(chat.store)
      .task { await chat.deliver(from: folder) }
      .task { await chat.followNetwork() }
  }
}

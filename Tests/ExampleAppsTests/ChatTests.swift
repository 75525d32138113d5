import Errand
import ErrandReachability
import ErrandTesting
import Foundation
import SwiftUI
import TestSupport
import Testing

@testable import ExampleChatApp

/// The app in Examples/Apps/Chat, on a model of SwiftUI, with an outbox on disk and real sockets.
@MainActor @Suite struct ChatTests {
  private let server: MockServer
  private let folder: TemporaryFolder
  private let network = ManualReachability(.online)

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
    let server = server
    server.on("/messages") { _ in
      let sent = server.requests.filter {
        $0.method == .post && !String(decoding: $0.body, as: UTF8.self).contains("bad")
      }
      let texts = sent.compactMap { try? JSONDecoder().decode(NewMessage.self, from: $0.body) }
      let messages = texts.map { Message(id: $0.id, author: "me", text: $0.text) }
      return .response(body: (try? JSONEncoder().encode(messages)) ?? Data())
    }
    server.on("POST", "/messages") { request in
      .response(status: String(decoding: request.body, as: UTF8.self).contains("bad") ? 422 : 201)
    }
  }

  private func launch() -> SwiftUI.Host {
    SwiftUI.Host(
      ChatScreen(chat: Chat(server.url, folder: folder.url.appending(path: "chat"), network: network)))
  }

  private func send(_ text: String, _ host: SwiftUI.Host) {
    host.fields["Message"]?.wrappedValue = text
    _ = host.buttons["Send"].map { $0() }
  }

  @Test func `a message is sent, and shown once the server has it`() async {
    let host = launch()
    #expect(await host.wait { server.count("/messages") == 1 && host.texts.isEmpty })
    for text in ["one", "two"] { send(text, host) }
    #expect(await host.wait { host.texts == ["me: one", "me: two"] })
    host.show(nil)
  }

  @Test func `a message that is written offline waits, with a banner, and goes when the network is back`()
    async
  {
    network.set(.offline)
    let host = launch()
    let banner = "No network. Messages are sent when it is back."
    #expect(await host.wait { host.texts.contains(banner) })
    send("later", host)
    #expect(await host.wait { host.texts.contains("later · on its way") })
    network.set(.online)
    #expect(await host.wait { host.texts == ["me: later"] })
    host.show(nil)
  }

  @Test func `a message that the server rejects is shown as such, and is sent again or deleted`() async {
    let host = launch()
    send("bad", host)
    #expect(await host.wait { host.texts.contains { $0.hasPrefix("bad · not sent: ") } })
    let count = server.requests.count { $0.method == .post }
    _ = host.buttons["Send again"].map { $0() }
    #expect(await host.wait { server.requests.count { $0.method == .post } == count + 1 })
    #expect(await host.wait { host.buttons["Delete"] != nil })
    _ = host.buttons["Delete"].map { $0() }
    #expect(await host.wait { host.texts.isEmpty })
    host.show(nil)
  }

  @Test func `a message outlives the app, with its text`() async {
    network.set(.offline)
    var host: SwiftUI.Host? = launch()
    #expect(await host!.wait { host!.texts.count == 1 })
    send("kept", host!)
    #expect(await host!.wait { host!.texts.contains("kept · on its way") })
    host?.show(nil)
    host = nil
    let next = launch()
    #expect(await next.wait { next.texts.contains("kept · on its way") })
    network.set(.online)
    #expect(await next.wait { next.texts == ["me: kept"] })
    next.show(nil)
  }
}

import Dispatch
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
  private let banner = "No network. Messages will be sent when it is back."

  init() throws {
    server = try MockServer()
    folder = try TemporaryFolder()
    let accepted = Locked<[Message]>([])
    let network = network
    server.on("GET", "/messages") { _ in
      if network.current == .offline { return .close }
      return .response(body: (try? JSONEncoder().encode(accepted.withLock { $0 })) ?? Data())
    }
    server.on("POST", "/messages") { request in
      guard network.current != .offline else { return .close }
      let message = try? JSONDecoder().decode(NewMessage.self, from: request.body)
      guard let message, message.text != "bad" else { return .response(status: 422) }
      accepted.withLock { $0.append(Message(id: message.id, author: "me", text: message.text)) }
      return .response(status: 201)
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

  @Test func `a message is sent, and shown when the server has accepted it`() async {
    let host = launch()
    #expect(await host.wait { server.count("/messages") == 1 && host.texts.isEmpty })
    for text in ["one", "two"] { send(text, host) }
    #expect(await host.wait { host.texts == ["me: one", "me: two"] }, "\(host.texts)")
    host.show(nil)
  }

  @Test func `a message that is written offline waits, with a banner, and is sent when the network returns`()
    async
  {
    network.set(.offline)
    let host = launch()
    #expect(await host.wait { host.texts.contains(banner) })
    send("later", host)
    #expect(await host.wait { host.texts.contains { $0.hasPrefix("later · ") } })
    network.set(.online)
    #expect(await host.wait { host.texts == ["me: later"] })
    host.show(nil)
  }

  @Test func `a message that the server rejects is marked, and can be sent again or deleted`() async {
    let host = launch()
    send("bad", host)
    #expect(await host.wait { host.texts.contains { $0.hasPrefix("bad · not sent: ") } }, "\(host.texts)")
    let mayRespond = DispatchSemaphore(value: 0)
    server.on("POST", "/messages") { _ in
      mayRespond.wait()
      return .response(status: 422)
    }
    _ = host.buttons["Send again"].map { $0() }
    // While it is being sent, it cannot be deleted.
    #expect(await host.wait { host.buttons["Delete"] == nil })
    mayRespond.signal()
    #expect(await host.wait { host.buttons["Delete"] != nil })
    #expect(server.requests.count { $0.method == .post } == 2)
    _ = host.buttons["Delete"].map { $0() }
    #expect(await host.wait { host.texts.isEmpty })
    host.show(nil)
  }

  @Test func `a message and its text outlive the app`() async {
    network.set(.offline)
    var host: SwiftUI.Host? = launch()
    #expect(await host!.wait { host!.texts.contains(banner) })
    send("kept", host!)
    #expect(await host!.wait { host!.texts.contains { $0.hasPrefix("kept · ") } })
    host?.show(nil)
    host = nil
    let next = launch()
    #expect(await next.wait { next.texts.contains { $0.hasPrefix("kept · ") } }, "\(next.texts)")
    network.set(.online)
    #expect(await next.wait { next.texts == ["me: kept"] })
    next.show(nil)
  }
}

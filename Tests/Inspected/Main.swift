import ErrandCore
import ErrandInspector
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation

/// A client and an outbox with an inspector, which do what their standard input says, a command a line: for a browser.
@main
struct Main {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "inspected-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let client = Client(transport: StubTransport { try await respond(to: $0) })
    var configuration = OutboxConfiguration()
    configuration.delivery.maxAttempts = 1
    configuration.reachability = nil
    let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
    try await Inspector(client, outbox).start()
    fflush(nil)
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch words.first {
      case "flood": try await flood(client, Int(words[1]) ?? 0)
      case "hostile": await hostile(client)
      case "outbox":
        try await outbox.pause()
        _ = try await outbox.enqueue(.post("http://a.test/order", .text("x")), lane: "<b>lane</b>")
      case "dead":
        try await outbox.resume()
        _ = try await outbox.enqueue(.post("http://a.test/refused", .text("x")))
      case "get": _ = try? await client.send(.get(words[1]).attempts(2))
      default: return
      }
      print("done")
      fflush(nil)
    }
  }

  private static func respond(to request: StubRequest) async throws -> StubStep {
    switch request.url.path {
    case "/refused": .response(status: 400, body: "no")
    case "/slow": .response(body: "late").after(.milliseconds(1100))
    case "/failing": .fail(.connectionLost, message: "<script>document.title='owned'</script>")
    case "/json":
      .response(
        fields: ["Content-Type": "application/json"], body: #"{"a":[1,"<img src=x onerror=alert(1)>"]}"#)
    default: .response(fields: ["X-Hostile": "<script>document.title='owned'</script>"], body: "hello")
    }
  }

  private static func flood(_ client: Client, _ count: Int) async throws {
    for number in 0..<count { try await client.send(.get("http://a.test/flood/\(number)")) }
  }

  private static func hostile(_ client: Client) async {
    let script = "%3Cscript%3Edocument.title='owned'%3C/script%3E"
    for path in ["\(script)?q=\(script)", "json", "failing", "\"onmouseover=alert(1)"] {
      let request = Request.get("http://a.test/\(path)")
        .field("X-Name", "<img src=x onerror=\"document.title='owned'\">").attempts(1)
      _ = try? await client.send(request, in: RequestScope("<script>document.title='owned'</script>"))
    }
  }
}

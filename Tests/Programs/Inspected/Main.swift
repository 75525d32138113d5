import ErrandCore
import ErrandInspector
import ErrandObservability
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation

/// A client and an outbox with an inspector, which execute the commands on standard input, one a line, for
/// tests in a browser. The argument is a HAR file, in which all calls are recorded. With the second argument
/// `flood`, calls are recorded in that file endlessly, for a test that kills this program. With `served`, only an
/// outbox is shown, without a process that delivers it.
@main
struct Main {
  private static let busy = Locked(0)
  private static let held = Locked<[Call]>([])

  static func main() async throws {
    let file = URL(filePath: CommandLine.arguments[1])
    let isFlood = CommandLine.arguments.dropFirst(2).first == "flood"
    let folder = FileManager.default.temporaryDirectory.appending(path: "inspected-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var clientConfiguration = ClientConfiguration()
    clientConfiguration.listeners = [try HARRecorder(file: file, appends: isFlood)]
    let client = Client(
      transport: StubTransport { try await respond(to: $0) }, configuration: clientConfiguration)
    if isFlood { while true { try await flood(client, 1000) } }
    var configuration = OutboxConfiguration()
    configuration.delivery.maxAttempts = 1
    configuration.reachability = nil
    let isServed = CommandLine.arguments.dropFirst(2).first == "served"
    configuration.delivers = !isServed
    let outbox = try await Outbox(at: folder, client: client, configuration: configuration)
    var limits = Inspector.Limits()
    if let calls = ProcessInfo.processInfo.environment["INSPECTED_CALLS"].flatMap({ Int($0) }) {
      limits.calls = calls
    }
    if isServed { _ = try await outbox.enqueue(.post("http://a.test/order", .text("x"))) }
    try await Inspector(isServed ? nil : client, outbox, limits: limits).start()
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
        for number in 0..<(words.count > 1 ? Int(words[1]) ?? 0 : 1) {
          let body = RequestBody.text("{\"number\":\(number)}", contentType: "application/json")
          _ = try await outbox.enqueue(.post("http://a.test/refused", body))
        }
        try await outbox.waitUntilEmpty()
      case "trickle":
        for number in 0..<(Int(words[1]) ?? 0) {
          try await client.send(.get("http://a.test/trickle/\(number)"))
          try await Task.sleep(for: .milliseconds(20))
        }
      case "fill": try await fill(outbox, Int(words[1]) ?? 0)
      case "shared":
        async let one = client.send(.get("http://a.test/slow").shared(within: .seconds(5)))
        async let other = client.send(.get("http://a.test/slow").shared(within: .seconds(5)))
        _ = try await (one, other)
      case "get": _ = try? await client.send(.get(words[1]).attempts(2))
      case "cached":
        _ = try await client.send(.get("http://a.test/cached").cached(as: "c"))
        _ = try await client.send(.get("http://a.test/cached").cached(as: "c"))
      case "hold": hold(client, Int(words[1]) ?? 0)
      case "release":
        let calls = held.withLock { $0 }
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
      default: return
      }
      print("done")
      fflush(nil)
    }
  }

  private static let image = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

  private static func respond(to request: StubRequest) async throws -> StubStep {
    switch request.url.path {
    case "/refused": .response(status: 400, body: "no")
    case "/teapot": .response(status: 418, body: "no")
    case "/rejected":
      .response(
        status: 500, fields: ["Content-Type": "application/problem+json", "Retry-After": "0"],
        body: #"{"title":"the database is full"}"#)
    case "/numbers":
      .response(
        fields: ["Content-Type": "application/json"],
        body:
          #"{"id":12345678901234567890,"price":1.10,"name":"a","name":"b","list":[1e2,-0.0,"\u00e9"],"none":{}}"#
      )
    case "/binary":
      .response(
        fields: ["Content-Type": "application/octet-stream"], body: Data((0..<600).map { UInt8($0 % 256) }))
    case "/held": .stall
    case "/image": .response(fields: ["Content-Type": "image/png"], body: image ?? Data())
    case "/busy"
    where busy.withLock({ count in
      count += 1
      return count == 1
    }):
      .response(status: 503, fields: ["Retry-After": "0"])
    case "/busy": .response(status: 302, fields: ["Location": "/moved"])
    case "/moved": .response(status: 302, fields: ["Location": "/there"])
    case "/slow": .response(body: "late").after(.milliseconds(1100))
    case "/failing": .fail(.connectionLost, message: "<script>document.title='owned'</script>")
    case "/json":
      .response(
        fields: ["Content-Type": "application/json"], body: #"{"a":[1,"<img src=x onerror=alert(1)>"]}"#)
    default: .response(fields: ["X-Hostile": "<script>document.title='owned'</script>"], body: "hello")
    }
  }

  /// Stores requests that are not delivered, in pages of 1000.
  private static func fill(_ outbox: Outbox, _ count: Int) async throws {
    try await outbox.pause()
    for begin in stride(from: 0, to: count, by: 1000) {
      let items = (begin..<min(count, begin + 1000)).map { number in
        OutboxItem(
          .post("http://b.test/orders/\(number)", .text("order \(number)")),
          lane: number % 10 == 0 ? "lane/\(number % 50)" : nil)
      }
      try await outbox.enqueue(items)
    }
  }

  private static func flood(_ client: Client, _ count: Int) async throws {
    for number in 0..<count { try await client.send(.get("http://a.test/flood/\(number)")) }
  }

  /// Starts calls that get no response; the last ones have a high priority.
  private static func hold(_ client: Client, _ count: Int) {
    for number in 0..<count {
      let request = Request.get("http://c.test/held")
      let call = client.start(number == count - 1 ? request.priority(.userInitiated) : request)
      held.withLock { $0.append(call) }
    }
  }

  private static func hostile(_ client: Client) async {
    let script = "%3Cscript%3Edocument.title='owned'%3C/script%3E"
    let app = RequestScope("app")
    for path in ["\(script)?q=\(script)", "json", "failing", "\"onmouseover=alert(1)"] {
      let request = Request.get("http://a.test/\(path)")
        .field("X-Name", "<img src=x onerror=\"document.title='owned'\">").attempts(1)
      _ = try? await client.send(
        request, in: RequestScope("<script>document.title='owned'</script>", in: app))
    }
  }
}

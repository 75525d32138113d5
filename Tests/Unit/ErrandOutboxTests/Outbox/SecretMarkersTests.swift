import ErrandCore
import ErrandCurl
import ErrandObservability
import ErrandOutbox
import ErrandOutboxSQLite
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Puts a marker in every place where a secret can be, and searches for it in everything that is described or
/// written.
@Suite(.timeLimit(.minutes(3))) struct SecretMarkersTests {
  @Test(arguments: 0..<60)
  func `no description, error or file shows a secret, wherever it was`(seed: Int) async throws {
    var random = SeededRandom(seed: UInt64(seed))
    let scene = try MarkerScene(using: &random)
    defer { scene.end() }
    var said = Said()
    await scene.send(&said)
    await scene.download(&said, resume: Bool.random(using: &random))
    await scene.keep(&said)
    try await scene.enqueue(&said)
    for text in scene.events.texts { said.add("an event", text) }
    for (place, text) in said.texts {
      #expect(!scene.shows(text), "seed \(seed), \(scene.description), \(place): \(text.prefix(300))")
    }
    for (path, data) in scene.files {
      #expect(
        !scene.shows(String(decoding: data, as: UTF8.self)), "seed \(seed), \(scene.description), \(path)")
    }
  }
}

/// Descriptions, each with the place where it occurred.
private struct Said {
  private(set) var texts: [(place: String, text: String)] = []

  mutating func add(_ place: String, _ value: Any) {
    var dumped = ""
    dump(value, to: &dumped)
    texts += [("\(place) described", "\(value)"), ("\(place) dumped", dumped)]
    texts.append(("\(place) debugged", String(reflecting: value)))
  }

  mutating func add(_ error: any Error, at place: String) {
    add(place, error)
    guard let error = error as? RequestError else { return }
    texts.append(("\(place), its message", error.message))
    texts.append(("\(place), its URL", error.url ?? ""))
    if let fields = error.fields { add("\(place), its fields", fields) }
    if let rejection = error.rejection { add("\(place), its rejection", rejection) }
    if let underlying = error.underlying { add("\(place), beneath", underlying) }
  }
}

/// A client, a server, and a request with a secret somewhere.
private final class MarkerScene: Sendable {
  private let marker: String
  private let place: String
  /// True if only the client's configuration marks the place as secret.
  private let isOwn: Bool
  private let fault: String
  private let server: MockServer
  private let client: Client
  private let request: Request
  private let folder: TemporaryFolder
  /// The events that listeners receive.
  let events = EventTexts()
  var description: String { "\(place), \(fault)" }
  init(using random: inout SeededRandom) throws {
    let marker =
      "mk" + (0..<16).map { _ in String("0123456789abcdef".randomElement(using: &random)!) }.joined()
    self.marker = marker
    folder = try TemporaryFolder()
    server = try MockServer()

    var configuration = ClientConfiguration()
    configuration.secrets = Secrets(fields: ["X-Mine", "X-Also"], queryItems: ["mine"])
    configuration.retry = .never
    // The files that these two write are searched. A body that is not JSON would be recorded unchanged.
    configuration.listeners = [
      events, try HARRecorder(file: folder.file("calls.har"), bodyLimit: 0),
      try ChromeTrace(file: folder.file("calls.json")),
    ]
    configuration.memoryLimit = 1 << 16
    configuration.cache = DiskResponseCache(folder: folder.file("cached"))

    let names = ["token", "client_secret", "mine", "X-Amz-Signature", "api_key", "code"]
    let name = names.randomElement(using: &random)!
    let item = Self.spelled(name, &random) + "=" + marker
    let nested = "http://o.test/cb?\(item)".utf8.map { String(format: "%%%02X", $0) }.joined()
    let places: [(String, (String) -> String, HTTPFields)] = [
      ("the query, \(item)", { "\($0)?a=1&\(item)&b=2" }, [:]),
      ("the fragment, \(item)", { "\($0)#\(item)" }, [:]),
      ("the path, \(item)", { "\($0);\(item)" }, [:]),
      ("a nested URL, \(item)", { "\($0)?next=\(nested)" }, [:]),
      ("the password", { $0.replacing("http://", with: "http://user:\(marker)@") }, [:]),
      ("the user", { $0.replacing("http://", with: "http://\(marker)@") }, [:]),
      ("a field that the client marks", { $0 }, ["X-MINE": marker]),
      ("a conventional field", { $0 }, ["X-Api-Key": marker]),
      ("Authorization", { $0 }, ["Authorization": "Bearer \(marker)"]),
      ("nowhere in the request", { $0 }, [:]),
    ]
    let (place, address, fields) = places.randomElement(using: &random)!
    self.place = place
    isOwn = name == "mine" || fields.contains("X-Mine")

    // The server's response contains the marker as well.
    let location = [
      "http://o.test/?\(item)", "http://u:\(marker)@o.test/", "ftp://h/?\(item)", "/loop?\(item)",
      "http://[/?\(item)",
    ]
    .randomElement(using: &random)!
    let responded: HTTPFields = [
      "Set-Cookie": "c=\(marker)", "X-Also": marker, "Content-Location": "/a?\(item)", "ETag": "\"1\"",
      "Content-Type": "application/json",
    ]
    var moved = responded
    moved["Location"] = location
    let faults: [(String, MockResponse)] = [
      ("answered", .response(fields: responded, body: "{\"a\":1}")),
      ("refused", .response(status: 404, fields: responded, body: "none")),
      ("moved to \(location)", .response(status: 302, fields: moved, body: "")),
      (
        "cut short",
        MockResponse.response(fields: responded, body: String(repeating: "x", count: 5000)).closing(
          at: .body(2500))
      ),
      ("too large", .response(fields: responded, body: String(repeating: "x", count: 70_000))),
      ("lost", .close), ("silent", .stall), ("no HTTP", .raw("220 smtp\r\n\r\n")),
    ]
    let (fault, response) = faults.randomElement(using: &random)!
    self.fault = fault
    server.on("/") { _ in response }
    server.on("/loop") { _ in response }
    var curl = CurlConfiguration()
    var url = address("http://127.0.0.1:\(server.port)/")
    switch Int.random(in: 0..<10, using: &random) {
    case 0: url += " a"  // no URL
    case 1: url = url.replacing("\(server.port)", with: "1")  // refused
    case 2:
      let proxies = [
        "http://u:\(marker)@127.0.0.1:1", "http://u:\(marker)/x@127.0.0.1:1", "socks9://u:\(marker)@h",
        "http://\(marker):1/@h:1",
      ]
      curl.proxy = .url(proxies.randomElement(using: &random)!)
    default: curl.proxy = .none
    }
    client = Client(transport: CurlTransport(configuration: curl), configuration: configuration)
    var request = Request.get(url).timeout(.milliseconds(fault == "silent" ? 60 : 5000))
    for field in fields { request.fields.append(field.name, field.value) }
    self.request = request
  }

  /// Returns true if the text contains the marker, plain or as basic authentication encodes it.
  func shows(_ text: String) -> Bool {
    let basic = ["user:\(marker)", "\(marker):"].map { Data($0.utf8).base64EncodedString() }
    return text.contains(marker) || basic.contains { text.contains($0) }
  }

  func end() { server.stop() }

  func send(_ said: inout Said) async {
    // A request alone does not know the secrets of its client.
    if !isOwn {
      said.add("the request", request)
      said.add("its command", request.curlCommand())
    }
    let call = client.start(request)
    said.add("the call", call.description)
    do {
      let response = try await client.send(request)
      said.add("the response", response)
      _ = try response.decode([Int].self)
    } catch {
      said.add(error, at: "the error of sending")
    }
    call.cancel()
    do { _ = try await call.value } catch { said.add(error, at: "the error of the call") }
    do {
      let checked = request.validate { _ in throw CancellationError() }.expecting(contentType: "image/*")
      _ = try await client.send(checked)
    } catch {
      said.add(error, at: "the error of a check")
    }
    do {
      for try await chunk in try await client.stream(request).chunks { _ = chunk }
    } catch {
      said.add(error, at: "the error of a stream")
    }
  }

  func download(_ said: inout Said, resume: Bool) async {
    for _ in 0..<2 {
      do {
        said.add(
          "the response of a download",
          try await client.download(request, to: folder.file("file"), resume: resume))
      } catch {
        said.add(error, at: "the error of a download")
      }
    }
  }

  func keep(_ said: inout Said) async {
    do {
      _ = try await client.send(request.cached(as: "cached"))
      said.add("the cached response", try await client.send(request.cached(as: "cached")))
    } catch {
      said.add(error, at: "the error of caching")
    }
  }

  func enqueue(_ said: inout Said) async throws {
    var configuration = OutboxConfiguration()
    configuration.delivery.maxAttempts = 1
    configuration.reachability = nil
    let outbox = try await Outbox(
      at: folder.file("outbox"), client: client, configuration: configuration)
    do {
      let receipt = try await outbox.enqueue(request)
      for await event in receipt.events {
        said.add("an event", event)
        if event.outcome != nil { break }
        if case .failed = event.step { break }
      }
    } catch {
      said.add(error, at: "the error of enqueuing")
    }
    for entry in try await outbox.list() { said.add("an entry", entry) }
    await outbox.close()
  }

  /// The files that were written, with their contents.
  var files: [(path: String, data: Data)] {
    let names = FileManager.default.enumerator(atPath: folder.url.path)?.allObjects as? [String] ?? []
    return names.compactMap { name in
      let file = folder.file(name)
      // Reading one of the outbox's pipes would wait for a writer.
      guard (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else {
        return nil
      }
      return (try? Data(contentsOf: file)).map { (name, $0) }
    }
  }

  /// Returns the name in a random spelling.
  private static func spelled(_ name: String, _ random: inout SeededRandom) -> String {
    var name = name
    if Bool.random(using: &random) { name = name.replacing("_", with: "-") }
    name = String(name.map { Bool.random(using: &random) ? Character($0.uppercased()) : $0 })
    for _ in 0..<Int.random(in: 0..<3, using: &random) {
      name = name.utf8.map { byte in
        byte == 37 || Int.random(in: 0..<4, using: &random) == 0
          ? String(format: "%%%02X", byte) : String(UnicodeScalar(byte))
      }.joined()
    }
    return name
  }
}

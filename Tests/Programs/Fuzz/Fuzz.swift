import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// Sends random requests, one after another, and checks what arrives on a raw socket.
final class Fuzz {
  var junk = Junk(seed: 0)
  let server: RawServer
  let folder: URL
  let client: Client
  /// A client that sends everything to the server, whatever the host's name.
  let proxied: Client
  let cookies: Client
  let outbox: Outbox
  /// The number of requests that arrived, by kind of case.
  private(set) var arrived: [String: Int] = [:]
  private(set) var cases: [String: Int] = [:]

  private static let own: Set<String> = [
    "host", "user-agent", "accept", "accept-encoding", "content-length", "content-type", "transfer-encoding",
    "proxy-connection", "connection",
  ]

  init(in folder: URL) async throws {
    self.folder = folder
    server = try RawServer()
    client = Self.client(CurlConfiguration())
    var curl = CurlConfiguration()
    curl.proxy = .url("http://127.0.0.1:\(server.port)")
    proxied = Self.client(curl)
    curl = CurlConfiguration()
    curl.proxy = .none
    curl.keepsCookies = true
    cookies = Self.client(curl)
    var configuration = OutboxConfiguration()
    configuration.delivery.maxAttempts = 1
    outbox = try await Outbox(
      at: folder.appending(path: "outbox"), client: client, configuration: configuration)
  }

  static func client(_ curl: CurlConfiguration) -> Client {
    var curl = curl
    if curl.proxy == .environment { curl.proxy = .none }
    var configuration = ClientConfiguration()
    configuration.retry = .never
    configuration.timeout = .seconds(5)
    return Client(transport: CurlTransport(configuration: curl), configuration: configuration)
  }

  /// Runs one case; returns the fault, or nil.
  func run(_ seed: UInt64) async -> String? {
    junk = Junk(seed: seed)
    let (name, fault): (String, String?) =
      switch junk.number(0..<200) {
      case 0..<70: ("fields", await fields())
      case 70..<85: ("method", await method())
      case 85..<125: ("url", await url())
      case 125..<135: ("user", await user())
      case 135..<150: ("host", await host())
      case 150..<175: ("form", await form())
      case 175..<185: ("redirect", await redirect())
      case 185..<189: ("memo", await memo())
      case 189..<192: ("tag", await tag())
      case 192..<194: ("proxy", await proxy())
      case 194..<196: ("override", await hostOverride())
      case 196..<199: ("cookie", await cookie())
      default: ("import", await importing())
      }
    cases[name, default: 0] += 1
    arrived[name, default: 0] += hasArrived ? 1 : 0
    return fault.map { "\(name): \($0)" }
  }

  private var hasArrived = false

  /// Sends a request. The server must receive one complete request for each response, or nothing.
  func sent(
    _ request: Request, by client: Client? = nil, _ check: (StrictRequest) -> String?
  ) async -> String? {
    let response = try? await (client ?? self.client).send(request)
    return look(hasResponse: response != nil, check)
  }

  func look(hasResponse: Bool = false, atMost most: Int = 1, _ check: (StrictRequest) -> String?) -> String? {
    let connections = server.take()
    hasArrived = !connections.isEmpty
    for connection in connections {
      if let fault = connection.fault { return "\(fault): \(shown(connection.bytes))" }
    }
    if connections.count > most { return "\(connections.count) requests" }
    if connections.isEmpty, hasResponse { return "a response without a request" }
    guard let request = connections.last?.request else { return nil }
    return check(request).map { "\($0): \(shown(connections.last!.bytes))" }
  }

  func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(2000), as: UTF8.self).debugDescription
  }

  /// Returns true if the header fields are these, in their order, and otherwise only those of every request.
  func have(_ request: StrictRequest, _ meant: [(String, String)]) -> Bool {
    let wanted = meant.map { (name: $0.0.lowercased(), value: Meaning.trimmed($0.1)) }
    let names = Set(wanted.map(\.name))
    let found = request.fields.filter { names.contains($0.name) || !Self.own.contains($0.name) }
    return found.count == wanted.count && zip(found, wanted).allSatisfy { $0 == $1 }
  }

  var origin: String { "http://127.0.0.1:\(server.port)" }
}

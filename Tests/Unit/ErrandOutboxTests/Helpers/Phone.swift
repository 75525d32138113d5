import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation

@testable import ErrandOutbox
@testable import ErrandOutboxSQLite

/// An app on a phone: an outbox with a background session, which is suspended, killed and launched again.
final class Phone: Sendable {
  /// A process of the app.
  final class Process: Sendable {
    let outbox: Outbox
    let store: SQLiteOutboxStore
    let delivery: BackgroundDelivery
    fileprivate let transport: MortalTransport

    fileprivate init(
      _ outbox: Outbox, _ store: SQLiteOutboxStore, _ delivery: BackgroundDelivery,
      _ transport: MortalTransport
    ) {
      self.outbox = outbox
      self.store = store
      self.delivery = delivery
      self.transport = transport
    }
  }

  let harness: OutboxHarness
  let session: PhoneSession
  var server: MockServer { harness.server }

  init(_ session: PhoneSession = PhoneSession()) throws {
    harness = try OutboxHarness()
    self.session = session
    harness.server.otherwise { _ in .response(body: "received") }
  }

  /// Launches the app.
  func launch(
    _ change: (inout OutboxConfiguration) -> Void = { _ in },
    client changeClient: (inout ClientConfiguration) -> Void = { _ in },
    background: (inout BackgroundConfiguration) -> Void = { _ in }
  ) async throws -> Process {
    var configuration = harness.configuration
    configuration.lease = .seconds(5)
    change(&configuration)
    var backgroundConfiguration = BackgroundConfiguration()
    backgroundConfiguration.settlesAfter = .milliseconds(20)
    background(&backgroundConfiguration)
    let store = try await SQLiteOutboxStore(folder: harness.folder, setup: StoreSetup())
    let transport = MortalTransport()
    var clientConfiguration = ClientConfiguration()
    clientConfiguration.timeout = .seconds(5)
    changeClient(&clientConfiguration)
    let outbox = try await Outbox(
      store: store, folder: harness.folder,
      client: Client(transport: transport, configuration: clientConfiguration), configuration: configuration)
    let delivery = try outbox.deliverInBackground(session, configuration: backgroundConfiguration)
    return Process(outbox, store, delivery, transport)
  }

  /// Ends the process as the system would.
  func kill(_ process: Process) async {
    session.letAppSleep()
    process.transport.isDead.withLock { $0 = true }
    await process.store.abandon()
    process.outbox.dispatcher.cancelAll()
  }

  /// The names of the files in the folder that this process has locked or open.
  func held() throws -> [String] {
    var inodes: [UInt64: String] = [:]
    let files = FileManager.default.enumerator(atPath: harness.folder.path)
    while let name = files?.nextObject() as? String {
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: harness.folder.appending(path: name).path)
      if let inode = attributes?[.systemFileNumber] as? UInt64 { inodes[inode] = name }
    }
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
    var held = locks.compactMap { line in
      line.split(separator: " ").first { $0.filter { $0 == ":" }.count == 2 }
        .flatMap { $0.split(separator: ":").last }.flatMap { UInt64($0) }.flatMap { inodes[$0] }
    }
    for descriptor in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      if let target, target.hasPrefix(harness.folder.path) { held.append(target) }
    }
    return held
  }

  /// The idempotency keys of each body, and the bodies in the order of their arrival.
  var arrivals: [(body: String, key: String)] {
    server.requests.map { (String(decoding: $0.body, as: UTF8.self), $0.fields["Idempotency-Key"] ?? "none") }
  }
}

/// A suite whose apps send nothing themselves before they are in the foreground, unless a test says
/// otherwise.
protocol PhoneSuite {
  var phone: Phone { get }
}

extension PhoneSuite {
  func launch(
    _ change: (inout OutboxConfiguration) -> Void = { _ in },
    client: (inout ClientConfiguration) -> Void = { _ in },
    background: (inout BackgroundConfiguration) -> Void = { _ in }
  ) async throws -> Phone.Process {
    try await phone.launch(
      {
        $0.delivers = false
        change(&$0)
      }, client: client, background: background)
  }
}

/// The transport of a process, which sends nothing after the process has ended.
private final class MortalTransport: Transport {
  let isDead = Locked(false)
  private let base = CurlTransport()

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    if isDead.withLock({ $0 }) {
      throw exchange.error(.cannotConnect, "the process has ended", reachedServer: false)
    }
    return try await base.perform(exchange)
  }

  func shutdown() async { await base.shutdown() }
}

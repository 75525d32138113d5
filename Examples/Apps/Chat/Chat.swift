import Errand
import ErrandSwiftUI
import Foundation
import Observation

struct Message: Codable, Hashable, Sendable, Identifiable {
  let id: String
  let author: String
  let text: String
}

struct NewMessage: Codable, Sendable {
  let id: String
  let text: String
}

/// A chat whose messages arrive, whatever becomes of the network or of this app. What was written is in the outbox until
/// the server has it, or until the user gives it up.
@MainActor @Observable final class Chat {
  /// A message that the server has not accepted yet.
  struct Draft: Identifiable {
    let id: OutboxID
    let text: String
    /// Why the last attempt failed.
    let reason: String?
  }

  @ObservationIgnored let store: LoadStore
  @ObservationIgnored private let network: any ReachabilityMonitor
  @ObservationIgnored private let folder: URL
  /// Opened once: what is written before that waits for it.
  @ObservationIgnored private var opening: Task<(Outbox, Texts), any Error>?
  /// The storing of the last message: two that are written at once keep their order.
  @ObservationIgnored private var storing: Task<Void, Never>?
  private let lane = "chat"

  private(set) var isOffline = false
  private(set) var waiting: [Draft] = []
  private(set) var rejected: [Draft] = []
  /// Changes when a message was delivered.
  private(set) var delivered = 0
  private(set) var problem: String?

  /// - Parameter folder: Where the system keeps what belongs to an app, and removes nothing by itself.
  init(_ url: URL, folder: URL, network: any ReachabilityMonitor = Reachability.shared) {
    var configuration = ClientConfiguration()
    configuration.baseURL = url
    store = LoadStore(Client(configuration: configuration), reachability: network)
    self.network = network
    self.folder = folder
  }

  /// Opens the outbox, delivers what the last launch has left, and follows it until the task is cancelled.
  func deliver() async {
    do {
      let (outbox, texts) = try await open()
      for await _ in outbox.changes { try await look(at: outbox, texts) }
    } catch let error where error.isCancellation {
    } catch {
      problem = "\(error)"
    }
  }

  func followNetwork() async {
    for await status in network.updates { isOffline = status == .offline }
  }

  /// Stores a message after those before it, from where it is sent whatever becomes of the app.
  func send(_ text: String) {
    let id = OutboxID(rawValue: UUID().uuidString)
    storing = Task { [storing] in
      await storing?.value
      await perform { [self] outbox, texts in
        try texts.set(text, for: id)
        // The id is the message's: the server tells a second delivery from a second message by it.
        let request = Request.post("messages", json: NewMessage(id: id.rawValue, text: text))
        try await outbox.enqueue([OutboxItem(request, lane: lane, id: id)])
      }
    }
  }

  func sendAgain(_ draft: Draft) async {
    await perform { outbox, _ in try await outbox.retry(OutboxSelection(ids: [draft.id])) }
  }

  func giveUp(_ draft: Draft) async {
    await perform { outbox, _ in try await outbox.drop(OutboxSelection(ids: [draft.id])) }
  }

  private func perform(_ work: @MainActor (Outbox, Texts) async throws -> Void) async {
    do {
      problem = nil
      let (outbox, texts) = try await open()
      try await work(outbox, texts)
    } catch {
      problem = "\(error)"
    }
  }

  private func open() async throws -> (Outbox, Texts) {
    if let opening { return try await opening.value }
    let opening = Task { [folder, network, client = store.client] in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      var configuration = OutboxConfiguration()
      configuration.reachability = network
      let outbox = try await Outbox(
        at: folder.appending(path: "outbox"), client: client, configuration: configuration)
      return (outbox, try Texts(folder.appending(path: "texts.json")))
    }
    self.opening = opening
    return try await opening.value
  }

  private func look(at outbox: Outbox, _ texts: Texts) async throws {
    let open: Set<OutboxState> = [.stored, .attempting, .deadLettered]
    let entries = try await outbox.list(OutboxSelection(states: open, lane: .named(lane)), limit: 1000)
    let drafts = entries.map { Draft(id: $0.id, text: texts[$0.id] ?? "…", reason: $0.reason) }
    waiting = zip(entries, drafts).filter { $0.0.state.isOpen }.map(\.1)
    rejected = zip(entries, drafts).filter { !$0.0.state.isOpen }.map(\.1)
    delivered = try await outbox.statistics().counts[.delivered, default: 0]
    try texts.forgetAll(but: Set(entries.map(\.id)))
  }
}

/// What the user wrote, as long as it is not delivered: an outbox gives no request's body back. An app with a database
/// keeps it there.
@MainActor private final class Texts {
  private let file: URL
  private var texts: [String: String]
  /// Those that are about to be stored.
  private var newest: Set<String> = []

  init(_ file: URL) throws {
    self.file = file
    guard FileManager.default.fileExists(atPath: file.path) else {
      texts = [:]
      return
    }
    texts = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
  }

  subscript(id: OutboxID) -> String? { texts[id.rawValue] }

  func set(_ text: String, for id: OutboxID) throws {
    newest.insert(id.rawValue)
    texts[id.rawValue] = text
    try save()
  }

  func forgetAll(but ids: Set<OutboxID>) throws {
    let present = Set(ids.map(\.rawValue))
    newest.subtract(present)
    let kept = texts.filter { present.contains($0.key) || newest.contains($0.key) }
    guard kept.count < texts.count else { return }
    texts = kept
    try save()
  }

  private func save() throws { try JSONEncoder().encode(texts).write(to: file, options: .atomic) }
}

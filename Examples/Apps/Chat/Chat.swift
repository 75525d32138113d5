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

/// A chat whose messages arrive even if the network fails or the app ends. A message is in the outbox until the
/// server accepts it or the user deletes it.
@MainActor @Observable final class Chat {
  /// A message that the server has not accepted yet.
  struct Draft: Identifiable {
    let id: OutboxID
    let text: String
    /// The reason why the last attempt failed; nil before that.
    let reason: String?
  }

  @ObservationIgnored let store: LoadStore
  @ObservationIgnored private let network: any ReachabilityMonitor
  @ObservationIgnored private let folder: URL
  /// Opens the outbox once. Messages that are written before wait for it.
  @ObservationIgnored private var opening: Task<(Outbox, Texts), any Error>?
  /// Stores the last message. The next one waits for it, so that messages keep their order.
  @ObservationIgnored private var storing: Task<Void, Never>?
  private let lane = "chat"

  private(set) var isOffline = false
  private(set) var waiting: [Draft] = []
  private(set) var rejected: [Draft] = []
  /// The number of delivered messages, which changes with each delivery.
  private(set) var delivered = 0
  private(set) var problem: String?

  /// - Parameter folder: A folder for the app's data that the system does not clear.
  init(_ url: URL, folder: URL, network: any ReachabilityMonitor = Reachability.shared) {
    var configuration = ClientConfiguration()
    configuration.baseURL = url
    store = LoadStore(Client(configuration: configuration), reachability: network)
    self.network = network
    self.folder = folder
  }

  /// Opens the outbox, which delivers the remaining messages, and follows its changes until the task is cancelled.
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

  /// Stores a message after the earlier ones. The outbox then sends it, if necessary in a later launch.
  func send(_ text: String) {
    let id = OutboxID(rawValue: UUID().uuidString)
    storing = Task { [storing] in
      await storing?.value
      await perform { [self] outbox, texts in
        try texts.set(text, for: id)
        // The server recognizes a second delivery of a message by its id.
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

/// The texts of undelivered messages, because an outbox does not return the bodies of requests. An app with a
/// database would keep them there.
@MainActor private final class Texts {
  private let file: URL
  private var texts: [String: String]
  /// The ids of the texts whose requests are not in the outbox yet.
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

package import ErrandCore
import ErrandReachability

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Delivers requests that must arrive. A request is on disk before its first byte is sent. Its content is
/// removed only in the transaction that records the accepting response. Therefore the request arrives at
/// least once, with an idempotency key that stays the same in every attempt and every launch.
///
/// ```swift
/// let outbox = try await Outbox(at: folder, client: client)
/// let receipt = try await outbox.enqueue(.post(messageURL, json: message), lane: "chat/42")
/// // it is stored now, even if this process ends
/// if case .delivered(let response) = try await receipt.outcome() { print(response.status) }
/// ```
///
/// Several processes may use one folder at the same time. Each of them delivers, and no two send the same
/// request at once. No credential is stored: the client's interceptors add them at each attempt.
///
/// Releasing the outbox ends delivery in this process at once. `close()` lets attempts in flight finish
/// first.
public final class Outbox: Sendable {
  package let store: any OutboxStore
  let configuration: OutboxConfiguration
  let storage: RequestStorage
  let hub: EventHub
  let dispatcher: Dispatcher
  let random: SharedRandom
  /// The number of bytes that are being copied into the folder and have no rows yet.
  let copying = Locked<Int64>(0)
  /// Only for a store with one writer. Other stores combine calls themselves.
  let gate: EnqueueGate?
  private let sweep: Task<Void, Never>
  private let watch: Task<Void, Never>?
  private let signIns: SignInListener?

  /// Opens the outbox on a store, with large bodies in a folder, and begins to deliver its requests.
  /// - Parameters:
  ///   - store: The store, such as a `SQLiteOutboxStore`.
  ///   - folder: The folder for the files of requests, the same for all processes that share the store.
  ///   - mark: A file in that folder, without which no stored body counts as missing. Default: nil.
  ///   - client: The client that sends the requests.
  ///   - configuration: The settings. Default: those of `OutboxConfiguration()`.
  /// - Throws: `OutboxError`.
  package convenience init(
    store: any OutboxStore, folder: URL, mark: FolderMark? = nil, client: Client,
    configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    let blobs = BlobFolder(in: folder, work: configuration.fileWork, mark: mark)
    try await self.init(store, blobs, spool: blobs, client, configuration)
  }

  /// Opens the outbox on a store, with large bodies in a blob store, and begins to deliver its requests.
  /// - Parameters:
  ///   - store: The store, such as a `SQLiteOutboxStore`.
  ///   - blobs: The store of large bodies, the same for all processes that share `store`.
  ///   - client: The client that sends the requests.
  ///   - configuration: The settings. Default: those of `OutboxConfiguration()`.
  /// - Throws: `OutboxError`.
  package convenience init(
    store: any OutboxStore, blobs: any BlobStore, client: Client,
    configuration: OutboxConfiguration = OutboxConfiguration()
  ) async throws {
    let spool = FileManager.default.temporaryDirectory.appending(path: "errand-import-\(UUID().uuidString)")
    try await self.init(
      store, blobs, spool: BlobFolder(in: spool, work: configuration.fileWork), client, configuration)
  }

  /// - Parameter spool: Stores bodies while they are imported.
  private init(
    _ store: any OutboxStore, _ blobs: any BlobStore, spool: BlobFolder, _ client: Client,
    _ configuration: OutboxConfiguration
  ) async throws {
    let configuration = configuration.bounded
    let storage = RequestStorage(
      blobs, spool: spool, key: configuration.key,
      secrets: configuration.secrets.map(client.secrets.union) ?? client.secrets,
      acceptsPlaintext: configuration.acceptsPlaintext, work: configuration.fileWork)
    try await storage.open {
      let states: Set<OutboxState> = [.stored, .attempting, .deadLettered, .expired]
      return try await store.list(OutboxSelection(states: states), after: 0, limit: 100)
    }
    let hub = EventHub(store, storage)
    random = SharedRandom(configuration.random)
    let dispatcher = Dispatcher(client, store, storage, hub, configuration, random)
    gate = store is any HandoverStore ? EnqueueGate() : nil
    self.store = store
    self.configuration = configuration
    self.storage = storage
    self.hub = hub
    self.dispatcher = dispatcher
    store.onForeignChange { [weak hub, weak dispatcher] in
      dispatcher?.look()
      guard let hub else { return }
      Task { await hub.catchUp() }
    }
    // Ended processes may have left files behind.
    sweep = Task {
      await configuration.reportingFailure {
        do {
          _ = try await storage.blobs.sweep { try await store.used($0) }
        } catch is CancellationError {
        } catch let error as OutboxError where error.code == .closed {}
      }
    }
    guard configuration.delivers else {
      (watch, signIns) = (nil, nil)
      return
    }
    dispatcher.start()
    // Origins were held while no user was signed in.
    signIns = client.onSignIn { [weak dispatcher] origins in
      let addresses = origins.map { OriginAddress($0) }
      Task {
        await dispatcher?.signedIn()
        await configuration.reportingFailure {
          let names = try await storage.names(of: addresses, heldIn: store)
          try await store.release(names)
          dispatcher?.release(names)
        }
      }
    }
    watch = configuration.reachability.map { reachability in
      Task { [weak dispatcher] in
        for await status in reachability.updates { dispatcher?.networkChanged(isOnline: status != .offline) }
      }
    }
  }

  deinit {
    watch?.cancel()
    dispatcher.cancelAll()
  }

  // MARK: The end

  /// How long calls of the store may take after `close` has waited. Closing the store then ends them.
  private static let storeLimit = Duration.seconds(5)

  /// Ends delivery in this process: begins no new attempts, lets attempts in flight finish within `limit`,
  /// gives the other requests back to be attempted later, and closes the store.
  ///
  /// It does not wait forever for a store whose server cannot be reached, or for a stage that ignores its
  /// cancellation.
  public func close(within limit: Duration = .seconds(10)) async {
    watch?.cancel()
    let timeline = Timeline(configuration.clock)
    let ending = Task { [dispatcher, sweep] in
      async let isStopped: Void = dispatcher.stop(within: limit)
      if await !timeline.waits(for: sweep, atMost: limit) { sweep.cancel() }
      await sweep.value
      await isStopped
    }
    _ = await timeline.waits(for: ending, atMost: min(max(limit, .zero), .longest) + Self.storeLimit)
    await store.close()
    hub.end()
  }
}

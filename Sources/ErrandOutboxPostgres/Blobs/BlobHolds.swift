#if Postgres
  import ErrandCore

  /// The blobs that this process has stored, and that no request names yet.
  final class BlobHolds: Sendable {
    private let core: StoreCore
    private let held = Locked<Set<String>>([])

    init(_ core: StoreCore) { self.core = core }

    var keys: [String] { held.withLock { Array($0) } }

    func hold(_ keys: [String]) -> BlobHold {
      held.withLock { $0.formUnion(keys) }
      return BlobHold(keys, self)
    }

    /// Lets blobs be swept, as soon as the server has received this.
    fileprivate func release(_ keys: [String]) {
      held.withLock { $0.subtract(keys) }
      core.link.submit(
        core.query(
          "UPDATE errand.blobs SET held_until = '-infinity' WHERE key = ANY($1)", [.texts(keys)],
          isRepeatable: true))
    }
  }

  /// Holds some blobs for as long as it exists.
  final class BlobHold: Sendable {
    private let keys: [String]
    private let holds: BlobHolds

    fileprivate init(_ keys: [String], _ holds: BlobHolds) {
      self.keys = keys
      self.holds = holds
    }

    deinit { holds.release(keys) }
  }

  /// Names that have no value, each remembered for a second, because an outbox without a key asks for one
  /// before each request.
  final class MissingValues: Sendable {
    private static let lasting = Duration.seconds(1)
    private let known = Locked<[String: ContinuousClock.Instant]>([:])

    func isKnown(_ name: String) -> Bool {
      known.withLock { $0[name].map { $0.duration(to: .now) < Self.lasting } ?? false }
    }

    func note(_ name: String) { known.withLock { $0[name] = .now } }
    func forget(_ name: String) { known.withLock { $0[name] = nil } }
  }
#endif

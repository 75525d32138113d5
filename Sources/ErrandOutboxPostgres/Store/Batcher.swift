#if Postgres
  import ErrandCore

  /// Combines calls that arrive while others are in progress, so that they share a statement and its commit.
  final class Batcher<Item: Sendable, Value: Sendable>: Sendable {
    private typealias Waiting = (item: Item, continuation: CheckedContinuation<Value, any Error>)

    private let state: Locked<BatchState<Waiting>>
    private let run: @Sendable ([Item]) async -> [Result<Value, any Error>]

    /// Creates a batcher.
    /// - Parameters:
    ///   - most: The most calls in one batch.
    ///   - parallel: The most batches in progress.
    ///   - run: Returns an outcome for each call.
    init(
      most: Int, parallel: Int, _ run: @escaping @Sendable ([Item]) async -> [Result<Value, any Error>]
    ) {
      state = Locked(BatchState(most: most, parallel: parallel))
      self.run = run
    }

    func call(_ item: Item) async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        if let batch = state.withLock({ $0.add((item, continuation)) }) { start(batch) }
      }
    }

    private func start(_ batch: [Waiting]) {
      Task {
        let results = await run(batch.map(\.item))
        if let next = state.withLock({ $0.ended() }) { start(next) }
        for (waiting, result) in zip(batch, results) { waiting.continuation.resume(with: result) }
      }
    }
  }

  /// Decides which calls form a batch. Pure.
  struct BatchState<Item> {
    private let most: Int
    private let parallel: Int
    private var waiting: [Item] = []
    private var running = 0

    init(most: Int, parallel: Int) {
      self.most = most
      self.parallel = parallel
    }

    /// Adds a call.
    /// - Returns: The batch to begin now; nil to wait.
    mutating func add(_ item: Item) -> [Item]? {
      waiting.append(item)
      return begin()
    }

    /// Notes the end of a batch.
    /// - Returns: The batch to begin now; nil to wait.
    mutating func ended() -> [Item]? {
      running -= 1
      return begin()
    }

    private mutating func begin() -> [Item]? {
      guard running < parallel, !waiting.isEmpty else { return nil }
      running += 1
      defer { waiting.removeFirst(min(most, waiting.count)) }
      return Array(waiting.prefix(most))
    }
  }
#endif

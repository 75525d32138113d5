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
        if state.withLock({ $0.add((item, continuation)) }) { start() }
      }
    }

    private func start() {
      Task {
        // Calls that have arrived since `add` are in the batch, too.
        let batch = state.withLock { $0.take() }
        let results = batch.isEmpty ? [] : await run(batch.map(\.item))
        if state.withLock({ $0.ended() }) { start() }
        for (waiting, result) in zip(batch, results) { waiting.continuation.resume(with: result) }
      }
    }
  }

  /// Decides which calls form a batch. Pure.
  struct BatchState<Item> {
    private let most: Int
    private let parallel: Int
    private var waiting: [Item] = []
    /// The number of batches in progress, also of those that are not taken yet.
    private var running = 0

    init(most: Int, parallel: Int) {
      self.most = most
      self.parallel = parallel
    }

    /// Adds a call.
    /// - Returns: True if a batch begins now.
    mutating func add(_ item: Item) -> Bool {
      waiting.append(item)
      return begin()
    }

    /// Returns the calls of a batch that has begun: none if others have taken them.
    mutating func take() -> [Item] {
      defer { waiting.removeFirst(min(most, waiting.count)) }
      return Array(waiting.prefix(most))
    }

    /// Notes the end of a batch.
    /// - Returns: True if another batch begins now.
    mutating func ended() -> Bool {
      running -= 1
      return begin()
    }

    private mutating func begin() -> Bool {
      guard running < parallel, !waiting.isEmpty else { return false }
      running += 1
      return true
    }
  }
#endif

extension Outbox {
  /// Returns all requests of a selection, in the order of enqueue. They are read in pages.
  ///
  /// ```swift
  /// for try await entry in outbox.entries(OutboxSelection(states: [.deadLettered])) { print(entry.url) }
  /// ```
  ///
  /// Requests that are stored meanwhile are included. Each request has the state that it had when its page
  /// was read.
  /// The sequence throws `OutboxError`, or `CancellationError` if the task is cancelled.
  /// - Parameters:
  ///   - selection: The requests. Default: all.
  ///   - sequence: Requests after this one are returned; 0 for all. Default: 0.
  ///   - pageSize: The number of requests that are read at once. Default: 500.
  public func entries(
    _ selection: OutboxSelection = .all, after sequence: Int64 = 0, pageSize: Int = 500
  ) -> some AsyncSequence<OutboxEntry, any Error> & Sendable {
    OutboxEntries(outbox: self, selection: selection, sequence: sequence, pageSize: max(1, pageSize))
  }
}

/// Requests of an outbox, which are read in pages. `Outbox.entries` returns it.
struct OutboxEntries: AsyncSequence, Sendable {
  typealias Element = OutboxEntry

  let outbox: Outbox
  let selection: OutboxSelection
  let sequence: Int64
  let pageSize: Int

  func makeAsyncIterator() -> Iterator { Iterator(entries: self) }

  struct Iterator: AsyncIteratorProtocol {
    private let entries: OutboxEntries
    /// The page, the last entry first.
    private var page: [OutboxEntry] = []
    private var last: Int64
    private var isLastPage = false

    init(entries: OutboxEntries) {
      self.entries = entries
      last = entries.sequence
    }

    mutating func next() async throws -> OutboxEntry? {
      if page.isEmpty, !isLastPage {
        try Task.checkCancellation()
        let found = try await entries.outbox.list(entries.selection, after: last, limit: entries.pageSize)
        isLastPage = found.count < entries.pageSize
        page = found.reversed()
      }
      guard let entry = page.popLast() else { return nil }
      last = entry.sequence
      return entry
    }
  }
}

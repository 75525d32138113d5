#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Passes a body through filters to another sink, as fast as that sink accepts it.
final class FilterSink: CountedSink {
  fileprivate struct State {
    var chain: FilterChain
    var received: Int64 = 0
    /// The bytes that came while a filter had work to do.
    var arrived = Data()
    /// True while a thread takes bytes out of the chain.
    var isBusy = false
    /// True if more bytes may have arrived than the busy thread has seen.
    var isStale = false
    var isSinkFull = false
    /// The number of times that the sink has drained.
    var drains = 0
    /// True while work of a filter is under way.
    var isWorking = false
    /// True if `write` has made the transport wait.
    var transportWaits = false
    var failure: (any Error)?
    var drained: (@Sendable () -> Void)?
    var work: Task<Void, Never>?
  }

  private let sink: any BodySink
  private let state: Locked<State>
  private let done = Promise<Void>()

  init(_ filters: [any BodyFilter], into sink: any BodySink) {
    self.sink = sink
    state = Locked(State(chain: FilterChain(filters)))
    sink.onDrain { [weak self] in self?.sinkHasDrained() }
  }

  deinit { state.withLock { $0.work }?.cancel() }

  func write(_ chunk: Data) throws -> SinkSignal {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.arrived.append(chunk)
      state.received += Int64(chunk.count)
    }
    pump()
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.transportWaits = state.isBlocked
      return state.transportWaits ? .wait : .more
    }
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.drained = handler } }

  /// The number of bytes of the body as it was transferred.
  var received: Int64 { state.withLock { $0.received } }

  /// Ends the body, and returns when all of it is in the other sink.
  /// - Parameter trailers: The fields that came after the body. Default: nil.
  /// - Throws: The failure of a filter or of the sink, or the error of the cancellation.
  func finish(_ trailers: HTTPFields? = nil, unless cancellation: CancellationToken) async throws {
    state.withLock { $0.chain.end(trailers) }
    pump()
    try await done.value(unless: cancellation)
  }

  private func sinkHasDrained() {
    state.withLock { state in
      state.drains += 1
      state.isSinkFull = false
    }
    pump()
  }

  /// Moves bytes from the chain to the sink until the chain has no more or the sink is full. One thread does
  /// that at a time.
  private func pump() {
    let isFirst = state.withLock { state in
      defer { (state.isStale, state.isBusy) = (state.isBusy, true) }
      return !state.isBusy
    }
    guard isFirst else { return }
    repeat {
      do {
        while let (bytes, drains) = try next() {
          let signal = try sink.write(bytes)
          state.withLock { state in
            // The sink may have drained already.
            if signal == .wait { state.isSinkFull = state.drains == drains }
          }
        }
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
      }
      beginWork()
    } while !leave()
  }

  private func next() throws -> (Data, drains: Int)? {
    try state.withLock { state in
      guard !state.isSinkFull, !state.isWorking, state.failure == nil else { return nil }
      if !state.arrived.isEmpty, state.chain.work == nil {
        let arrived = state.arrived
        state.arrived = Data()
        try state.chain.put(arrived)
      }
      return try state.chain.take().map { ($0, state.drains) }
    }
  }

  /// Ends the turn of the busy thread. Returns false if it has more to do.
  private func leave() -> Bool {
    enum Next {
      case goOn
      case tell(drained: (@Sendable () -> Void)?, done: Result<Void, any Error>?)
    }
    let next: Next = state.withLock { state in
      if state.isStale {
        state.isStale = false
        return .goOn
      }
      state.isBusy = false
      var drained: (@Sendable () -> Void)?
      if state.transportWaits, !state.isBlocked {
        state.transportWaits = false
        drained = state.drained
      }
      var done: Result<Void, any Error>?
      if let failure = state.failure {
        done = .failure(failure)
      } else if state.chain.isExhausted {
        done = .success(())
      }
      return .tell(drained: drained, done: done)
    }
    guard case .tell(let drained, let done) = next else { return false }
    if let done { self.done.settle(done) }
    drained?()
    return true
  }

  /// Begins the work that a filter waits for.
  private func beginWork() {
    let work: (@Sendable () async throws -> Void)? = state.withLock { state in
      guard !state.isWorking, state.failure == nil, let work = state.chain.work else { return nil }
      state.isWorking = true
      return work
    }
    guard let work else { return }
    let task = Task { [weak self] in
      let result: Result<Void, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      self?.workHasEnded(result)
    }
    state.withLock { $0.work = task }
  }

  private func workHasEnded(_ result: Result<Void, any Error>) {
    state.withLock { state in
      state.isWorking = false
      if case .failure(let error) = result { state.failure = state.failure ?? error }
    }
    pump()
  }
}

extension FilterSink.State {
  /// True if nothing more should be put in for now. A failure does not block, because the next write reports
  /// it.
  fileprivate var isBlocked: Bool { failure == nil && (isSinkFull || isWorking || isBusy) }
}

import ErrandCore
import ErrandReachability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The events of an event stream. See `Client.events(_:after:options:in:)`.
struct EventStream: AsyncSequence, Sendable {
  typealias Element = ServerSentEvent
  typealias Failure = any Error

  let client: Client
  let request: Request
  let lastID: String
  let options: EventStreamOptions
  let scope: RequestScope?

  struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: EventReader

    fileprivate init(_ reader: EventReader) { self.reader = reader }

    mutating func next() async throws -> ServerSentEvent? { try await reader.next() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(EventReader(self)) }
}

/// Reads an event stream for one consumer.
private final class EventReader {
  private enum Phase {
    case new
    case connecting(Subscription)
    case reading(Subscription, ByteStream.AsyncIterator)
    case over
  }

  private let stream: EventStream
  private var phase = Phase.new
  private var state: EventStreamState
  private var parser: EventParser
  /// The events that have been read, the next one last.
  private var ready: [ServerSentEvent] = []

  init(_ stream: EventStream) {
    self.stream = stream
    let options = stream.options
    state = EventStreamState(
      options,
      isRepeatable: options.repeatsUnsafeRequests || RetryPolicy().methods.contains(stream.request.method),
      hasKey: stream.request.fields.contains("Idempotency-Key") && stream.request.body.isReplayable)
    parser = EventParser(lastID: stream.lastID, limit: max(1, options.limit))
  }

  func next() async throws -> ServerSentEvent? {
    do {
      while true {
        if let event = ready.popLast() { return event }
        switch phase {
        case .new: phase = .connecting(try await stream.client.subscribe(stream.request, in: stream.scope))
        case .connecting(let subscription): try await connect(subscription)
        case .reading(let subscription, var chunks):
          let chunk: Data?
          do {
            chunk = try await whileNotCancelled(subscription) { try await chunks.next() }
          } catch {
            try await reconnect(subscription, after: error)
            continue
          }
          if let chunk {
            phase = .reading(subscription, chunks)
            try read(chunk)
            // A server that is faster than the reader must not keep the thread from other tasks.
            await Task.yield()
          } else {
            try await reconnect(subscription, .closed)
          }
        case .over: return nil
        }
      }
    } catch {
      phase = .over
      throw error
    }
  }

  private func read(_ chunk: Data) throws {
    var events: [ServerSentEvent] = []
    do {
      try parser.read(chunk, into: &events)
    } catch {
      throw RequestError(
        .bodyTooLarge,
        message:
          "a line or an event of the event stream is longer than its limit of \(stream.options.limit) bytes",
        reachedServer: true)
    }
    ready = events.reversed()
    state.received(events.count, retry: parser.retry)
  }

  private func connect(_ subscription: Subscription) async throws {
    let response: Response
    do {
      // A task of its own, because a task keeps the memory of its deepest call until it ends: 20 KB for each stream.
      let connection = Task(executorPreference: stream.client.timeline.counting?.executor) { [request] in
        try await subscription.stream(request)
      }
      response = try await whileNotCancelled(subscription) { try await connection.value }
    } catch {
      return try await reconnect(subscription, after: error)
    }
    if response.status == 204 { return try await reconnect(subscription, .noContent) }
    state.opened()
    parser.reconnect()
    phase = .reading(subscription, response.chunks.makeAsyncIterator())
  }

  /// The request of the next connection.
  private var request: Request {
    var request = stream.request.askingForEvents(after: parser.sendableID)
    let options = stream.options
    request.options.validator.contentTypes = ["text/event-stream"]
    request.options.retry = .never
    request.options.connectTimeout =
      request.options.connectTimeout ?? request.options.timeout ?? stream.client.timeout
    request.options.timeout = options.heartbeat ?? .longest
    return request
  }

  private func reconnect(_ subscription: Subscription, after error: any Error) async throws {
    try subscription.cancellation.check()
    guard let error = error as? RequestError else { throw error }
    try await reconnect(subscription, .failed(error), retryAfter: error.retryAfter)
  }

  private func reconnect(
    _ subscription: Subscription, _ ending: EventStreamState.Ending, retryAfter: Duration? = nil
  ) async throws {
    switch state.ended(ending, retryAfter: retryAfter, random: subscription.random) {
    case .finish: phase = .over
    case .fail(let error): throw error
    case .reconnect(let reconnection):
      phase = .connecting(subscription)
      try stream.options.onReconnection?(reconnection)
      try await whileNotCancelled(subscription) { [client = stream.client, options = stream.options] in
        await client.wait(reconnection.delay, orFor: options.reachability, unless: subscription.cancellation)
      }
      try subscription.cancellation.check()
    }
  }

  /// Does some work, and cancels the subscription when the task is cancelled.
  private func whileNotCancelled<Value>(
    _ subscription: Subscription, _ work: () async throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await work()
    } onCancel: {
      subscription.cancellation.cancel(.cancelled(.taskCancelled))
    }
  }
}

extension Client {
  /// Returns after a time, when the network comes back, or when the token is cancelled.
  fileprivate func wait(
    _ time: Duration, orFor reachability: (any ReachabilityMonitor)?, unless cancellation: CancellationToken
  ) async {
    let executor = timeline.counting?.executor
    let isOffline = reachability?.current == .offline
    let wait = Task(executorPreference: executor) { [timeline] in try? await timeline.sleep(time) }
    let link = cancellation.onCancel { wait.cancel() }
    defer { cancellation.removeCancelHandler(link) }
    let watch = reachability.map { reachability in
      Task(executorPreference: executor) {
        await reachability.comesBack(isOffline: isOffline, then: wait.cancel)
      }
    }
    _ = await wait.value
    watch?.cancel()
  }
}

extension ReachabilityMonitor {
  /// Calls `work` when the network comes back after it was away.
  fileprivate func comesBack(isOffline: Bool, then work: @Sendable () -> Void) async {
    var wasOffline = isOffline
    for await status in updates {
      if wasOffline, status != .offline { return work() }
      wasOffline = status == .offline
    }
  }
}

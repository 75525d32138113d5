public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A transport without a network, in which a closure or a script decides the outcome of each attempt. It
/// records the requests, applies time-outs on the given clock, and ends an attempt at once when it is
/// cancelled.
///
/// ```swift
/// let stub = StubTransport([.fail(.connectionLost), .response(body: "hello")])
/// let client = Client(transport: stub)
/// ```
public final class StubTransport: Transport {
  /// Returns the outcome of an attempt.
  public typealias Handler = @Sendable (StubRequest) async throws -> StubStep

  private struct State {
    var requests: [StubRequest] = []
    var inFlight = 0
    var highWater = 0
    var cancelled = 0
    var isShutDown = false
    var waiters: [(count: Int, gate: StubGate)] = []
  }

  private let clock: any Clock<Duration>
  private let handler: Handler
  private let state = Locked(State())

  /// Creates a transport with a closure.
  /// - Parameters:
  ///   - clock: The clock for time-outs and delays. Default: real time.
  ///   - handler: Returns the outcome of each attempt. An error that it throws becomes the attempt's error.
  public init(clock: any Clock<Duration> = ContinuousClock(), _ handler: @escaping Handler) {
    self.clock = clock
    self.handler = handler
  }

  /// Creates a transport that performs one step of a script for each attempt, and repeats the last step.
  /// - Parameters:
  ///   - clock: The clock for time-outs and delays. Default: real time.
  ///   - script: The steps, at least one.
  public convenience init(clock: any Clock<Duration> = ContinuousClock(), _ script: [StubStep]) {
    precondition(!script.isEmpty, "a script needs at least one step")
    self.init(clock: clock) { script[min($0.index, script.count - 1)] }
  }

  // MARK: Records

  /// All attempts, in the order in which their request bodies were complete.
  public var requests: [StubRequest] { state.withLock { $0.requests } }
  /// The number of attempts in flight.
  public var inFlight: Int { state.withLock { $0.inFlight } }
  /// The greatest number of attempts that were in flight at once.
  public var mostInFlight: Int { state.withLock { $0.highWater } }
  /// The number of attempts that were cancelled while they were in flight.
  public var cancelled: Int { state.withLock { $0.cancelled } }
  /// True once the client has shut the transport down.
  public var isShutDown: Bool { state.withLock { $0.isShutDown } }

  /// Waits until `requests` has at least `count` attempts.
  /// - Parameter count: The number of attempts. Default: 1.
  /// - Throws: `CancellationError` if the task is cancelled before that.
  public func waitForRequests(_ count: Int = 1) async throws {
    let gate = StubGate()
    let isHere = state.withLock { state in
      if state.requests.count < count { state.waiters.append((count, gate)) }
      return state.requests.count >= count
    }
    if !isHere { try await gate.pass() }
  }

  // MARK: Transport

  public func perform(_ exchange: Exchange) async throws -> TransferResult {
    state.withLock { state in
      state.inFlight += 1
      state.highWater = max(state.highWater, state.inFlight)
    }
    let task = Task(executorPreference: (clock as? any WorkCountingClock)?.executor) { [self] in
      try await play(exchange)
    }
    let id = exchange.onCancel { task.cancel() }
    defer {
      exchange.removeCancelHandler(id)
      state.withLock { $0.inFlight -= 1 }
    }
    do {
      return try await task.value
    } catch {
      if task.isCancelled { state.withLock { $0.cancelled += 1 } }
      throw error
    }
  }

  public func shutdown() async { state.withLock { $0.isShutDown = true } }

  private func play(_ exchange: Exchange) async throws -> TransferResult {
    let body = try await Self.read(exchange)
    let step = try await handler(note(exchange.request, body))
    try await step.gate?.pass()
    let timeout = exchange.request.timeout
    var isStalled = step.delay >= timeout
    if case .nothing = step.outcome { isStalled = true }
    if isStalled {
      try await Self.sleep(timeout, on: clock)
      throw exchange.error(.timedOut, "nothing came for \(timeout)", reachedServer: true)
    }
    if step.delay > .zero { try await Self.sleep(step.delay, on: clock) }
    try Task.checkCancellation()
    switch step.outcome {
    case .error(let error): throw error
    case .failure(let code, let message, let reachedServer):
      throw exchange.error(code, message, reachedServer: reachedServer)
    case .nothing: preconditionFailure("stalled above")
    case .response(let head, let chunks):
      return try await Self.deliver(head, chunks, sent: body.count, to: exchange)
    }
  }

  private func note(_ request: Exchange.Request, _ body: Data) -> StubRequest {
    let (noted, gates) = state.withLock { state in
      let noted = StubRequest(index: state.requests.count, request, body: body)
      state.requests.append(noted)
      let count = state.requests.count
      let ready = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return (noted, ready.map(\.gate))
    }
    for gate in gates { gate.open() }
    return noted
  }

  private static func sleep<C: Clock>(_ duration: Duration, on clock: C) async throws
  where C.Duration == Duration {
    try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
  }

  static func read(_ exchange: Exchange) async throws -> Data {
    switch exchange.request.upload {
    case .none: return Data()
    case .bytes(let data):
      exchange.didSend(total: Int64(data.count))
      return data
    case .reader(let reader):
      let signal = StubSignal()
      reader.onReady { signal.set() }
      var body = Data()
      var room = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        switch try room.withUnsafeMutableBytes({ try reader.read(into: $0) }) {
        case .bytes(let count):
          body.append(contentsOf: room[..<count])
          exchange.didSend(total: Int64(body.count))
        case .notYet: try await signal.wait()
        case .end: return body
        }
      }
    }
  }

  private static func deliver(
    _ head: ResponseHead, _ chunks: [Data], sent: Int, to exchange: Exchange
  ) async throws -> TransferResult {
    let sink = try exchange.sink(for: head)
    let signal = StubSignal()
    sink.onDrain { signal.set() }
    var metrics = TransferMetrics()
    metrics.bytesSent = Int64(sent)
    metrics.httpVersion = .http11
    if exchange.request.method != .head {
      for chunk in chunks {
        metrics.bytesReceived += Int64(chunk.count)
        if try sink.write(chunk) == .wait { try await signal.wait() }
        try Task.checkCancellation()
      }
    }
    return TransferResult(head: head, metrics: metrics)
  }
}

/// The request of an attempt on a `StubTransport`.
public struct StubRequest: Sendable {
  /// The attempt's index among all attempts of the stub, from 0.
  public let index: Int
  /// The method.
  public let method: HTTPMethod
  /// The URL.
  public let url: URL
  /// The header fields.
  public let fields: HTTPFields
  /// The whole body.
  public let body: Data
  /// The trailers that were sent after the body.
  public let trailers: HTTPFields
  /// The time-out of the attempt.
  public let timeout: Duration
  /// True if the transport may repeat the request itself after a reused connection proves to be closed.
  package let mayBeRepeated: Bool

  init(index: Int, _ request: Exchange.Request, body: Data) {
    self.index = index
    method = request.method
    url = request.url
    fields = request.fields
    self.body = body
    trailers = if case .reader(let reader) = request.upload { reader.trailers ?? [:] } else { [:] }
    timeout = request.timeout
    mayBeRepeated = request.mayBeRepeated
  }

  /// The body as UTF-8 text; invalid bytes are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

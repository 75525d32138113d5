import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One try's way through a `SimulatedNetwork`.
struct Passage {
  private let exchange: Exchange
  private let index: Int
  private var plan: TryPlan
  private let network: SimulatedNetwork
  private let host: String
  /// When the try times out, unless something moves before.
  private var deadline: Duration

  init(_ exchange: Exchange, _ index: Int, _ plan: TryPlan, on network: SimulatedNetwork) {
    self.exchange = exchange
    self.index = index
    self.plan = plan
    self.network = network
    host = exchange.request.url.host() ?? ""
    deadline = network.now + exchange.request.timeout
  }

  consuming func perform() async throws -> TransferResult {
    try await connect()
    let body = try await StubTransport.read(exchange)
    network.sent(index, body)
    moved()
    let answer = try await answered()
    return try await deliver(answer, sent: body.count)
  }

  private mutating func connect() async throws {
    try await wait(until: network.arrival(after: plan.connect, host: host), reachedServer: false)
    switch plan.fate {
    case .refused: throw exchange.error(.cannotConnect, "the connection was refused", reachedServer: false)
    case .resetBeforeRequest: throw lost(reachedServer: false)
    default: moved()
    }
  }

  private mutating func answered() async throws -> SimulatedAnswer {
    if plan.fate == .lostOnTheWayOut { try await timeOut() }
    try await wait(until: network.arrival(after: plan.out, host: host))
    var answer = network.answer(index)
    switch plan.fate {
    case .resetAfterRequest: throw lost(reachedServer: true)
    case .lostOnTheWayBack: try await timeOut()
    case .serverError(let status, let retryAfter):
      answer = SimulatedAnswer(status: status, text: "the server has trouble")
      if let retryAfter { answer.fields["Retry-After"] = "\(retryAfter)" }
    default: break
    }
    try await wait(until: network.now + plan.service)
    try await wait(until: network.arrival(after: plan.back, host: host))
    moved()
    network.arrived(index, answer.head)
    return answer
  }

  private mutating func deliver(_ answer: SimulatedAnswer, sent: Int) async throws -> TransferResult {
    let sink = try exchange.sink(for: answer.head)
    let drained = StubSignal()
    sink.onDrain { drained.set() }
    var metrics = TransferMetrics()
    metrics.bytesSent = Int64(sent)
    metrics.httpVersion = .http11
    var rest = exchange.request.method == .head ? Data() : answer.body
    let end = plan.fate == .resetInAnswer ? rest.count / 2 : 0
    while rest.count > end {
      let (length, pause) = plan.nextPiece()
      try await wait(until: network.arrival(after: pause, host: host))
      let piece = Data(rest.prefix(min(length, rest.count - end)))
      rest = rest.dropFirst(piece.count)
      metrics.bytesReceived += Int64(piece.count)
      if try sink.write(piece) == .wait { try await drained.wait() }
      try Task.checkCancellation()
      moved()
    }
    // The connection ends before the body does: it is shorter than its head says.
    let announced = answer.fields["Content-Length"].flatMap { Int($0) } ?? 0
    if plan.fate == .resetInAnswer || (exchange.request.method != .head && announced > answer.body.count) {
      throw lost(reachedServer: true)
    }
    return TransferResult(head: answer.head, metrics: metrics)
  }

  /// Something has moved: the time-out begins anew.
  private mutating func moved() { deadline = network.now + exchange.request.timeout }

  private func wait(until time: Duration, reachedServer: Bool = true) async throws {
    guard time < deadline else { try await timeOut(reachedServer: reachedServer) }
    try await network.sleep(until: time)
  }

  private func timeOut(reachedServer: Bool = true) async throws -> Never {
    try await network.sleep(until: deadline)
    let timeout = exchange.request.timeout.formattedSeconds
    throw exchange.error(.timedOut, "nothing came for \(timeout)", reachedServer: reachedServer)
  }

  private func lost(reachedServer: Bool) -> RequestError {
    exchange.error(.connectionLost, "the connection was reset", reachedServer: reachedServer)
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Performs one attempt on a `SimulatedNetwork`, by its plan.
struct Passage {
  private let exchange: Exchange
  private let index: Int
  private var plan: AttemptPlan
  private let network: SimulatedNetwork
  private let host: String
  /// The time at which the attempt times out unless data is transferred before.
  private var deadline: Duration

  init(_ exchange: Exchange, _ index: Int, _ plan: AttemptPlan, on network: SimulatedNetwork) {
    self.exchange = exchange
    self.index = index
    self.plan = plan
    self.network = network
    host = exchange.request.url.host() ?? ""
    deadline = network.now + (exchange.request.connectTimeout ?? exchange.request.timeout)
  }

  consuming func perform() async throws -> TransferResult {
    try await connect()
    let body = try await StubTransport.read(exchange)
    network.sent(index, body)
    moved()
    let response = try await responded()
    return try await deliver(response, sent: body.count)
  }

  private mutating func connect() async throws {
    try await wait(until: network.arrival(after: plan.connect, host: host), reachedServer: false)
    switch plan.fate {
    case .refused: throw exchange.error(.cannotConnect, "the connection was refused", reachedServer: false)
    case .resetBeforeRequest: throw lost(reachedServer: false)
    default: moved()
    }
  }

  private mutating func responded() async throws -> SimulatedResponse {
    if plan.fate == .lostOnTheWayOut { try await timeOut() }
    try await wait(until: network.arrival(after: plan.out, host: host))
    var response = network.response(index)
    switch plan.fate {
    case .resetAfterRequest: throw lost(reachedServer: true)
    case .lostOnTheWayBack: try await timeOut()
    case .serverError(let status, let retryAfter):
      response = SimulatedResponse(status: status, text: "the server has trouble")
      if let retryAfter { response.fields["Retry-After"] = "\(retryAfter)" }
    default: break
    }
    try await wait(until: network.now + plan.service)
    try await wait(until: network.arrival(after: plan.back, host: host))
    moved()
    network.arrived(index, response.head)
    return response
  }

  private mutating func deliver(_ response: SimulatedResponse, sent: Int) async throws -> TransferResult {
    let sink = try exchange.sink(for: response.head)
    let drained = StubSignal()
    sink.onDrain { drained.set() }
    var metrics = TransferMetrics()
    metrics.bytesSent = Int64(sent)
    metrics.httpVersion = .http11
    var rest = exchange.request.method == .head ? Data() : response.body
    let end = plan.fate == .resetInResponse ? rest.count / 2 : 0
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
    // The connection ends before the body is complete, so the body is shorter than its `Content-Length`.
    let announced = response.fields["Content-Length"].flatMap { Int($0) } ?? 0
    if plan.fate == .resetInResponse || (exchange.request.method != .head && announced > response.body.count)
    {
      throw lost(reachedServer: true)
    }
    return TransferResult(head: response.head, metrics: metrics)
  }

  /// Restarts the time-out after a transfer of data.
  private mutating func moved() { deadline = network.now + exchange.request.timeout }

  private func wait(until time: Duration, reachedServer: Bool = true) async throws {
    guard time < deadline else { try await timeOut(reachedServer: reachedServer) }
    try await network.sleep(until: time)
  }

  private func timeOut(reachedServer: Bool = true) async throws -> Never {
    try await network.sleep(until: deadline)
    let request = exchange.request
    let timeout = (reachedServer ? nil : request.connectTimeout) ?? request.timeout
    let message = reachedServer ? "nothing came for" : "no connection was made within"
    throw exchange.error(.timedOut, "\(message) \(timeout.formattedSeconds)", reachedServer: reachedServer)
  }

  private func lost(reachedServer: Bool) -> RequestError {
    exchange.error(.connectionLost, "the connection was reset", reachedServer: reachedServer)
  }
}

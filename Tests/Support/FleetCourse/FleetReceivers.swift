import ErrandCore
import ErrandTesting
import Foundation
import Programs

/// The receiving servers, two of which cause trouble: one refuses connections for a while, and one is slow
/// and often busy.
final class FleetReceivers: Sendable {
  private static let dead = 8
  private static let slow = 9

  let ports: [Int]
  private let record: FleetRecord
  private let servers: Locked<[MockServer?]>
  private let random: Locked<SeededRandom>
  private let isHealed = Locked(false)

  init(_ record: FleetRecord, seed: UInt64) throws {
    let servers = try (0..<FleetRequest.receivers).map { _ in try MockServer(port: FreePort.take()) }
    ports = servers.map(\.port)
    self.record = record
    self.servers = Locked(servers)
    random = Locked(SeededRandom(seed: seed))
    for (index, server) in servers.enumerated() { listen(server, index) }
  }

  /// Ends the receiver that is to be dead: connections to it are refused.
  func beginTrouble() {
    let server = servers.withLock { servers in
      defer { servers[Self.dead] = nil }
      return servers[Self.dead]
    }
    server?.stop()
  }

  /// Ends all trouble.
  func endTrouble() throws {
    isHealed.withLock { $0 = true }
    guard servers.withLock({ $0[Self.dead] == nil }) else { return }
    let server = try MockServer(port: ports[Self.dead])
    listen(server, Self.dead)
    servers.withLock { $0[Self.dead] = server }
  }

  private func listen(_ server: MockServer, _ index: Int) {
    server.on(FleetRequest.path + "*") { [weak self] request in self?.response(request, index) ?? .close }
  }

  private func response(_ request: MockRequest, _ index: Int) -> MockResponse {
    guard let expected = FleetRequest(path: request.path) else {
      record.note("\(request) has no number")
      return .response(status: 400)
    }
    let luck = random.withLock { Int.random(in: 0..<100, using: &$0) }
    let isHealed = isHealed.withLock { $0 }
    let isBusy = index == Self.slow && luck < 30 && !isHealed
    let isWhole = request.body == expected.body
    let isLost = !isBusy && !isHealed && luck == 99
    var arrival = FleetArrival(key: request.fields["Idempotency-Key"])
    arrival.sender = request.fields[FleetRequest.senderField].flatMap { Int($0) } ?? 0
    (arrival.isWhole, arrival.isTaken, arrival.hasResponse) = (isWhole, !isBusy, !isLost)
    record.arrive(expected, arrival)
    if isBusy { return .response(status: 503).pausing(.milliseconds(5 * luck)) }
    if isHealed { return .response() }
    // Of all receivers: the request is accepted, and the response is lost.
    if isLost { return .response().closing(at: .start) }
    return index == Self.slow ? .response().pausing(.milliseconds(5 * luck)) : .response()
  }
}

import ErrandCore

/// A connection that several transfers may use at once (HTTP/2), and those that do. Touched on the engine's thread only.
final class SharedConnection {
  /// What tells a connection from others that are open at the same time: both of its ends.
  struct Ends: Hashable {
    let remoteAddress: UInt64
    let remotePort: Int32
    let localPort: Int32
  }

  let ends: Ends
  fileprivate(set) var streams: [CurlTransfer] = []
  /// When something came last, for any of its streams.
  var lastReceived: ContinuousClock.Instant
  /// True once a stream of it has timed out while nothing at all came: new requests go by another connection.
  fileprivate(set) var isAvoided = false

  init(_ ends: Ends, now: ContinuousClock.Instant) {
    self.ends = ends
    lastReceived = now
  }
}

/// Which transfers are on which shared connection, and which connections new requests must not join.
///
/// A stream that times out says nothing of its connection while other streams of it get bytes: then it is reset, and no more.
/// A connection on which nothing came for a whole time-out may be dead, or only quiet, as with long polls. libcurl cannot
/// tell, so both are served: the streams that are left on it keep it, and no new one joins it.
struct SharedConnections {
  private static let mostOrigins = 64

  private var connections: [SharedConnection.Ends: SharedConnection] = [:]
  /// Which generation of connections an origin's new requests join; those that are not here are in generation 0.
  private var generations: [Origin: Int] = [:]

  mutating func join(_ transfer: CurlTransfer, _ ends: SharedConnection.Ends, now: ContinuousClock.Instant) {
    // libcurl may have moved the request to another connection.
    leave(transfer)
    let connection = connections[ends] ?? SharedConnection(ends, now: now)
    connections[ends] = connection
    transfer.streamIndex = connection.streams.count
    transfer.connection = connection
    connection.streams.append(transfer)
  }

  /// Returns the connection, if others use it still.
  @discardableResult
  mutating func leave(_ transfer: CurlTransfer) -> SharedConnection? {
    guard let connection = transfer.connection else { return nil }
    transfer.connection = nil
    let last = connection.streams.removeLast()
    if last !== transfer {
      connection.streams[transfer.streamIndex] = last
      last.streamIndex = transfer.streamIndex
    }
    if connection.streams.isEmpty {
      connections[connection.ends] = nil
      return nil
    }
    return connection
  }

  /// A stream has timed out: if nothing came for the others either, the origin's next requests join another connection.
  mutating func timedOut(_ transfer: CurlTransfer, now: ContinuousClock.Instant) {
    guard let connection = transfer.connection, !connection.isAvoided,
      now - connection.lastReceived >= transfer.exchange.request.timeout
    else { return }
    connection.isAvoided = true
    guard connection.streams.count > 1 else { return }
    if generations.count >= Self.mostOrigins { generations.removeAll() }
    guard let origin = Origin(transfer.exchange.request.url) else { return }
    generations[origin] = max(generations[origin] ?? 0, transfer.generation + 1)
  }

  /// Which generation of connections a new request joins.
  func generation(for request: Exchange.Request) -> Int {
    guard !generations.isEmpty, let origin = Origin(request.url) else { return 0 }
    return generations[origin] ?? 0
  }

  /// True if a new request to the same origin might join a connection that is avoided.
  func isAvoided(_ request: Exchange.Request) -> Bool {
    guard !generations.isEmpty, let origin = Origin(request.url) else { return false }
    return connections.values.contains { connection in
      connection.isAvoided && connection.streams.contains { Origin($0.exchange.request.url) == origin }
    }
  }
}

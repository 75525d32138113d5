import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A connection that several transfers may use at once (HTTP/2), with these transfers. Only the engine's
/// thread uses it.
final class SharedConnection {
  /// Identifies an open connection by both of its ends.
  struct Ends: Hashable {
    let remoteAddress: UInt64
    let remotePort: Int32
    let localPort: Int32
  }

  let ends: Ends
  /// The generation of its first stream.
  let generation: Int
  fileprivate(set) var streams: [CurlTransfer] = []
  /// The time at which bytes last arrived for any of its streams.
  var lastReceived: Moment
  /// True after a stream has timed out while no bytes arrived for any stream. New requests use another connection.
  fileprivate(set) var isAvoided = false

  init(_ ends: Ends, generation: Int, now: Moment) {
    self.ends = ends
    self.generation = generation
    lastReceived = now
  }
}

/// The shared connections with their transfers, and the connections that new requests must not join.
///
/// If a stream times out while other streams receive bytes, the connection is fine, and only the stream is
/// reset. If no bytes arrive for a whole time-out, the connection may be dead, or only quiet, as with long
/// polls. libcurl cannot distinguish these. So the remaining streams keep the connection, and no new stream
/// joins it.
struct SharedConnections {
  /// The connections that a new request may join.
  enum Joining: Hashable {
    /// Those of one generation.
    case generation(Int)
    /// No existing connection: the request gets a new one.
    case fresh
  }

  /// The number of generations that can be distinguished.
  static let mostGenerations = 16
  private static let mostOrigins = 64

  private var connections: [SharedConnection.Ends: SharedConnection] = [:]
  /// The connections that an origin's new requests join. Other origins join generation 0.
  private var joinings: [Origin: Joining] = [:]

  mutating func join(_ transfer: CurlTransfer, _ ends: SharedConnection.Ends, now: Moment) {
    // libcurl may have moved the request to another connection.
    leave(transfer)
    let connection =
      connections[ends] ?? SharedConnection(ends, generation: transfer.generation, now: now)
    connections[ends] = connection
    transfer.streamIndex = connection.streams.count
    transfer.connection = connection
    connection.streams.append(transfer)
  }

  /// Removes a transfer from its connection.
  mutating func leave(_ transfer: CurlTransfer) {
    guard let connection = transfer.connection else { return }
    transfer.connection = nil
    let last = connection.streams.removeLast()
    if last !== transfer {
      connection.streams[transfer.streamIndex] = last
      last.streamIndex = transfer.streamIndex
    }
    if connection.streams.isEmpty { connections[connection.ends] = nil }
  }

  /// Records a time-out. If no bytes arrived for the other streams either, the origin's next requests join
  /// another connection.
  mutating func timedOut(_ transfer: CurlTransfer, now: Moment) {
    guard let connection = transfer.connection, !connection.isAvoided,
      now - connection.lastReceived >= transfer.exchange.request.timeout
    else { return }
    connection.isAvoided = true
    guard connection.streams.count > 1, let origin = Origin(transfer.exchange.request.url) else { return }
    if joinings.count >= Self.mostOrigins {
      let avoided = Set(connections.values.filter(\.isAvoided).flatMap(\.origins))
      joinings = joinings.filter { avoided.contains($0.key) }
    }
    let taken = Set(avoided(origin).map(\.generation))
    joinings[origin] =
      (0..<Self.mostGenerations).first { !taken.contains($0) }.map(Joining.generation) ?? .fresh
  }

  /// Returns the connections that a new request may join.
  func joining(_ request: Exchange.Request) -> Joining {
    guard !joinings.isEmpty, let origin = Origin(request.url), let joining = joinings[origin] else {
      return .generation(0)
    }
    // Only TLS connections have generations.
    if !request.isSecure || joining == .fresh { return avoided(origin).isEmpty ? .generation(0) : .fresh }
    return joining
  }

  private func avoided(_ origin: Origin) -> [SharedConnection] {
    connections.values.filter { $0.isAvoided && $0.origins.contains(origin) }
  }
}

extension SharedConnection {
  /// The origins of its streams.
  fileprivate var origins: Set<Origin> { Set(streams.compactMap { Origin($0.exchange.request.url) }) }
}

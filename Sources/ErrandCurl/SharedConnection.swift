import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A connection that several transfers may use at once (HTTP/2), and these transfers. Touched on the engine's
/// thread only.
final class SharedConnection {
  /// Identifies a connection among those that are open at the same time, by both of its ends.
  struct Ends: Hashable {
    let remoteAddress: UInt64
    let remotePort: Int32
    let localPort: Int32
  }

  let ends: Ends
  fileprivate(set) var streams: [CurlTransfer] = []
  /// When bytes arrived last, for any of its streams.
  var lastReceived: ContinuousClock.Instant
  /// True once a stream has timed out while no bytes at all arrived: new requests use another connection.
  fileprivate(set) var isAvoided = false

  init(_ ends: Ends, now: ContinuousClock.Instant) {
    self.ends = ends
    lastReceived = now
  }
}

/// The shared connections with their transfers, and the connections that new requests must not join.
///
/// A stream that times out says nothing about its connection while other streams receive bytes: then only the
/// stream is reset. A connection on which no bytes arrived for a whole time-out may be dead, or only quiet,
/// as with long polls. libcurl cannot tell, so the remaining streams keep the connection, and no new one
/// joins it.
struct SharedConnections {
  private static let mostOrigins = 64

  private var connections: [SharedConnection.Ends: SharedConnection] = [:]
  /// The generation of connections that an origin's new requests join; 0 for origins that are not here.
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

  /// Removes a transfer from its connection, and returns the connection if other transfers still use it.
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

  /// Records a time-out: if no bytes arrived for the other streams either, the origin's next requests join
  /// another connection.
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

  /// Returns the generation of connections that a new request joins.
  func generation(for url: URL) -> Int {
    guard !generations.isEmpty, let origin = Origin(url) else { return 0 }
    return generations[origin] ?? 0
  }

  /// Returns true if a new request to the same origin might join a connection that is avoided.
  func isAvoided(_ request: Exchange.Request) -> Bool {
    guard !generations.isEmpty, let origin = Origin(request.url) else { return false }
    return connections.values.contains { connection in
      connection.isAvoided && connection.streams.contains { Origin($0.exchange.request.url) == origin }
    }
  }
}

extension Exchange.Request {
  /// True if the connection may be HTTP/2, which other requests use at the same time.
  var mayShareConnection: Bool { httpVersion == .http2 || (httpVersion == .automatic && isSecure) }
}

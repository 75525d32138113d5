import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A small HTTP/1.1 server on a dedicated thread. Programs serve pages about themselves with
/// it. It sends whole responses, and streams of events that are broadcast to all listeners.
package final class PageServer: Sendable {
  /// Responds to a request, on any thread and at any time. It is called on the server's thread.
  package typealias Handler = @Sendable (ServedRequest, @escaping @Sendable (ServedResponse) -> Void) -> Void

  package enum Command {
    case respond(connection: Int, ServedResponse)
    case broadcast(Data)
    case stop
  }

  /// The most connections at once. To accept another, the server closes an idle connection, so that silent
  /// connections do not keep others out.
  static let mostConnections = 64

  package let port: Int
  /// The listening socket of IPv4, and perhaps one of IPv6.
  private let sockets: [Int32]
  private let wakeRead: Int32
  private let wakeWrite: Int32
  /// A pipe whose end for writing the thread closes when the port is free.
  private let endRead: Int32
  private let endWrite: Int32
  private let handler: Handler
  private let commands = Locked<[Command]>([])
  private let listeners = Locked(0)

  /// - Parameters:
  ///   - port: The port; 0 for any free port.
  ///   - isOpen: True for all addresses of the machine, false for 127.0.0.1 (and ::1) only. Default: false.
  ///   - usesIPv6: True to serve the same port over IPv6 as well, if the machine has IPv6. Default: false.
  /// - Throws: `SocketError`, for example if the port is in use.
  package init(
    port: Int, isOpen: Bool = false, usesIPv6: Bool = false, _ handler: @escaping Handler
  ) throws(SocketError) {
    var sockets: [Int32] = []
    var (pipes, ends): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    do throws(SocketError) {
      sockets.append(try Socket.make())
      try Self.listen(on: sockets[0], port, isOpen: isOpen, isIPv6: false)
      self.port = Socket.port(of: sockets[0])
      if usesIPv6, let socket = try? Socket.make(isIPv6: true) {
        sockets.append(socket)
        do throws(SocketError) {
          try Self.listen(on: socket, self.port, isOpen: isOpen, isIPv6: true)
        } catch {
          // The machine may have no address of IPv6. But another program on the port would be mistaken for this one.
          if error.code == EADDRINUSE, port != 0 { throw error }
          close(sockets.removeLast())
        }
      }
      guard pipe(&pipes) == 0, pipe(&ends) == 0 else { throw .system("cannot make a pipe") }
    } catch {
      for descriptor in sockets + pipes + ends where descriptor >= 0 { close(descriptor) }
      throw error
    }
    self.sockets = sockets
    (wakeRead, wakeWrite, endRead, endWrite) = (pipes[0], pipes[1], ends[0], ends[1])
    for descriptor in pipes + ends {
      Socket.setNonBlocking(descriptor)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    self.handler = handler
    let isStarted = SystemThread.start { self.run() }
    guard isStarted else { throw .system("cannot start a thread") }
  }

  deinit {
    close(wakeRead)
    close(wakeWrite)
    close(endRead)
  }

  private static func listen(
    on socket: Int32, _ port: Int, isOpen: Bool, isIPv6: Bool
  ) throws(SocketError) {
    try Socket.bind(socket, port: port, isOpen: isOpen, isIPv6: isIPv6)
    guard systemListen(socket) == 0 else { throw .system("cannot listen") }
    Socket.setNonBlocking(socket)
  }

  /// The number of open event streams.
  package var streams: Int { listeners.withLock { $0 } }

  /// Sends bytes to every event stream.
  package func broadcast(_ data: Data) { put(.broadcast(data)) }

  /// Closes every connection, frees the port, and ends the thread. The handler must not call this.
  package func stop() {
    put(.stop)
    // The thread may be in the handler for a moment.
    var end = pollfd(fd: endRead, events: Int16(POLLIN), revents: 0)
    poll(&end, 1, 5000)
  }

  private func put(_ command: Command) {
    commands.withLock { $0.append(command) }
    var byte: UInt8 = 1
    _ = write(wakeWrite, &byte, 1)
  }

  // MARK: On the server's thread

  private func run() {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    var connections: [PageConnection] = []
    var accepted = 0
    var isFull = false
    var isStopped = false
    while !isStopped {
      // When the descriptors run out, the server listens again after a connection has ended, or 100 ms later.
      var polled = [pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
      polled += sockets.map { pollfd(fd: isFull ? -1 : $0, events: Int16(POLLIN), revents: 0) }
      polled += connections.map { pollfd(fd: $0.descriptor, events: $0.pollEvents, revents: 0) }
      poll(&polled, nfds_t(polled.count), isFull ? 100 : -1)
      isFull = false
      if polled[0].revents != 0 { while read(wakeRead, room.baseAddress, room.count) > 0 {} }
      for command in takeCommands() {
        switch command {
        case .respond(let number, let response):
          let connection = connections.first { $0.number == number }
          for request in connection?.respond(response) ?? [] { pass(request, of: number) }
        case .broadcast(let data):
          for connection in connections where connection.isStream { connection.send(data) }
        case .stop: isStopped = true
        }
      }
      for (connection, polled) in zip(connections, polled.dropFirst(1 + sockets.count))
      where polled.revents != 0 {
        for request in connection.handle(polled.revents, room) { pass(request, of: connection.number) }
      }
      connections.removeAll(where: \.isOver)
      for (socket, polled) in zip(sockets, polled.dropFirst()) where polled.revents != 0 {
        if !accept(on: socket, &connections, &accepted) { isFull = true }
      }
      let streams = connections.count(where: \.isStream)
      listeners.withLock { $0 = streams }
    }
    for connection in connections { connection.shut() }
    for socket in sockets { close(socket) }
    close(endWrite)
    room.deallocate()
  }

  /// Closes a connection to accept another: an idle one, preferably one that has sent no request.
  /// - Returns: False if every connection is busy.
  private func makePlace(in connections: inout [PageConnection]) -> Bool {
    let index =
      connections.firstIndex { $0.isIdle && !$0.hasAsked } ?? connections.firstIndex(where: \.isIdle)
    guard let index else { return false }
    connections.remove(at: index).shut()
    return true
  }

  private func takeCommands() -> [Command] {
    commands.withLock { commands in
      defer { commands = [] }
      return commands
    }
  }

  private func pass(_ request: ServedRequest, of connection: Int) {
    handler(request) { [weak self] response in self?.put(.respond(connection: connection, response)) }
  }

  /// Accepts the waiting connections.
  /// - Returns: False if the descriptors ran out, and no connection could be closed.
  private func accept(
    on socket: Int32, _ connections: inout [PageConnection], _ accepted: inout Int
  ) -> Bool {
    while true {
      let descriptor = systemAccept(socket)
      guard descriptor >= 0 else {
        guard errno == EMFILE || errno == ENFILE else { return true }
        if makePlace(in: &connections) { continue }
        return false
      }
      if connections.count >= Self.mostConnections, !makePlace(in: &connections) {
        close(descriptor)
        continue
      }
      Socket.prepareAccepted(descriptor)
      accepted += 1
      connections.append(PageConnection(descriptor, number: accepted))
    }
  }
}

private func systemListen(_ socket: Int32) -> Int32 { listen(socket, 128) }

private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

import Dispatch
import ErrandCore
import ErrandServing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The event loop of a server on one thread, which polls the sockets and advances the connections.
final class ServerLoop: Sendable {
  let journal = ServerJournal()
  let routes = Locked(ServerRoutes())
  let port: Int

  private let listener: Int32
  private let wakeRead: Int32
  private let wakeWrite: Int32
  private let isStopped = Locked(false)
  private let ended = DispatchSemaphore(value: 0)
  private let ownThread = ThreadMark()

  init(port: Int, isOpen: Bool = false) throws(MockServerError) {
    var pipes: [Int32] = [-1, -1]
    do throws(SocketError) { listener = try Socket.make() } catch { throw MockServerError(error) }
    do throws(SocketError) {
      try Socket.bind(listener, port: port, isOpen: isOpen)
      guard listen(listener, 4096) == 0 else { throw .system("cannot listen") }
      guard pipe(&pipes) == 0 else { throw .system("no pipe") }
    } catch {
      close(listener)
      throw MockServerError(error)
    }
    (wakeRead, wakeWrite) = (pipes[0], pipes[1])
    for descriptor in [wakeRead, wakeWrite] {
      Socket.setNonBlocking(descriptor)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    Socket.setNonBlocking(listener)
    self.port = Socket.port(of: listener)
  }

  deinit {
    close(wakeRead)
    close(wakeWrite)
  }

  func start() {
    let isStarted = SystemThread.start { self.run() }
    precondition(isStarted, "MockServer cannot start a thread: the system has reached its limit")
  }

  /// Stops the loop, and returns once every socket is closed. Further calls do nothing.
  func stop() {
    let isFirst = isStopped.withLock { isStopped in
      defer { isStopped = true }
      return !isStopped
    }
    guard isFirst else { return }
    wake()
    // A handler may release the last reference. It runs on the loop's thread, which cannot wait for itself.
    if !ownThread.isSet { ended.wait() }
  }

  func wake() {
    var byte: UInt8 = 1
    _ = write(wakeWrite, &byte, 1)
  }

  // MARK: On the loop's thread

  private func run() {
    ownThread.set()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    var descriptors: [pollfd] = []
    var connections: [ServerConnection] = []
    var accepted = 0
    while !isStopped.withLock({ $0 }) {
      descriptors.removeAll(keepingCapacity: true)
      descriptors.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
      descriptors.append(pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0))
      for connection in connections {
        descriptors.append(pollfd(fd: connection.descriptor, events: connection.pollEvents, revents: 0))
      }
      poll(&descriptors, nfds_t(descriptors.count), timeout(connections))
      if descriptors[1].revents != 0 { while case .some = readWake(room) {} }
      for (connection, polled) in zip(connections, descriptors.dropFirst(2)) where polled.revents != 0 {
        connection.handle(polled.revents, room)
      }
      let now = ContinuousClock.now
      for connection in connections where !connection.isOver { connection.handleTime(now) }
      connections.removeAll(where: \.isOver)
      if descriptors[0].revents != 0 { acceptAll(into: &connections, &accepted) }
      journal.failOverdue(now)
    }
    for connection in connections { connection.shut() }
    connections = []
    close(listener)
    room.deallocate()
    journal.stop()
    ended.signal()
  }

  private func readWake(_ room: UnsafeMutableRawBufferPointer) -> Int? {
    let count = read(wakeRead, room.baseAddress, room.count)
    return count > 0 ? count : nil
  }

  private func timeout(_ connections: [ServerConnection]) -> Int32 {
    let next = (connections.compactMap(\.wakeAt) + [journal.nextDeadline].compactMap { $0 }).min()
    guard let next else { return -1 }
    // The time is rounded up, because waking too early would only run the loop once more.
    return Int32(clamping: max(0, (next - .now).wholeMilliseconds + 1))
  }

  private func acceptAll(into connections: inout [ServerConnection], _ accepted: inout Int) {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      Socket.prepareAccepted(descriptor)
      accepted += 1
      let number = accepted
      journal.update { $0.connections.append(MockConnection(number: number)) }
      connections.append(ServerConnection(descriptor: descriptor, number: number, loop: self))
    }
  }
}

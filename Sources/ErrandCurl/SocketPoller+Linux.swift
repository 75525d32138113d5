#if os(Linux) || os(Android)
  import CCurl
  import Synchronization

  #if canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Glibc
  #endif

  /// Wakes a poller from any thread, with an eventfd.
  final class SocketAlarm: Sendable {
    /// -1 while the system has no file descriptor left for it.
    private let eventFile = Atomic<Int32>(-1)
    fileprivate var descriptor: Int32 { eventFile.load(ordering: .acquiring) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Makes the file descriptor, unless it exists. Called by one thread at a time. Returns false if the system
    /// has none left.
    fileprivate func open() -> Bool {
      if descriptor >= 0 { return true }
      eventFile.store(eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)), ordering: .releasing)
      return descriptor >= 0
    }

    func ring() {
      var one: UInt64 = 1
      _ = write(descriptor, &one, 8)
    }

    fileprivate func silence() {
      var count: UInt64 = 0
      _ = read(descriptor, &count, 8)
    }
  }

  /// Polls sockets with epoll.
  struct SocketPoller: ~Copyable {
    private static let room = 256

    private var epoll: Int32 = -1
    private let alarm: SocketAlarm
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.room)

    init(_ alarm: SocketAlarm) { self.alarm = alarm }

    /// Makes the file descriptors to wait with, unless they exist. Returns false if the system has none left.
    mutating func open() -> Bool {
      guard alarm.open() else { return false }
      if epoll >= 0 { return true }
      epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard epoll >= 0 else { return false }
      var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: alarm.descriptor))
      epoll_ctl(epoll, EPOLL_CTL_ADD, alarm.descriptor, &event)
      return true
    }

    deinit {
      if epoll >= 0 { close(epoll) }
      events.deallocate()
    }

    func change(_ socket: Int32, from old: SocketWatch.Interest, to new: SocketWatch.Interest) {
      var mask: UInt32 = 0
      if new.contains(.read) { mask |= EPOLLIN.rawValue }
      if new.contains(.write) { mask |= EPOLLOUT.rawValue }
      var event = epoll_event(events: mask, data: epoll_data_t(fd: socket))
      let operation = new.isEmpty ? EPOLL_CTL_DEL : old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      epoll_ctl(epoll, operation, socket, &event)
    }

    /// Removes a socket that is about to be closed. Closing alone does not remove it if another process also
    /// has it open.
    func forget(_ socket: Int32) { epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nil) }

    func wait(_ milliseconds: Int32, into ready: inout [(socket: Int32, for: SocketWatch.Interest)]) {
      let count = epoll_wait(epoll, events, Int32(Self.room), milliseconds)
      for index in 0..<Int(max(0, count)) {
        let event = events[index]
        let socket = event.data.fd
        if socket == alarm.descriptor {
          alarm.silence()
          continue
        }
        var interest: SocketWatch.Interest = []
        if event.events & EPOLLIN.rawValue != 0 { interest.insert(.read) }
        if event.events & EPOLLOUT.rawValue != 0 { interest.insert(.write) }
        if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { interest.insert(.failure) }
        ready.append((socket, interest))
      }
    }
  }
#endif

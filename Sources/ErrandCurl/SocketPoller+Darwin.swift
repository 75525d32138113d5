#if canImport(Darwin)
  import Darwin
  import Synchronization

  /// Wakes a poller from any thread, with a pipe.
  final class SocketAlarm: Sendable {
    /// The end to read from; -1 if the system had no file descriptor left for the pipe.
    fileprivate var descriptor: Int32 { readEnd.load(ordering: .acquiring) }
    private var end: Int32 { writeEnd.load(ordering: .acquiring) }
    private let readEnd = Atomic<Int32>(-1)
    private let writeEnd = Atomic<Int32>(-1)

    /// Makes the pipe, unless it exists. Called by one thread at a time. Returns false if the system has no file
    /// descriptor left.
    fileprivate func open() -> Bool {
      if descriptor >= 0 { return true }
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return false }
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
      writeEnd.store(ends[1], ordering: .releasing)
      readEnd.store(ends[0], ordering: .releasing)
      return true
    }

    deinit {
      guard descriptor >= 0 else { return }
      close(descriptor)
      close(end)
    }

    func ring() {
      var one: UInt8 = 1
      _ = write(end, &one, 1)
    }

    fileprivate func silence() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }

  /// Polls sockets with `poll`.
  final class SocketPoller {
    private var descriptors: [pollfd]
    private var indices: [Int32: Int] = [:]
    private let alarm: SocketAlarm

    init(_ alarm: SocketAlarm) {
      self.alarm = alarm
      descriptors = [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)]
    }

    /// Makes the file descriptors to wait with, unless they exist. Returns false if the system has none left.
    func open() -> Bool {
      guard alarm.open() else { return false }
      descriptors[0].fd = alarm.descriptor
      return true
    }

    func change(_ socket: Int32, from old: SocketWatch.Interest, to new: SocketWatch.Interest) {
      var events: Int16 = 0
      if new.contains(.read) { events |= Int16(POLLIN) }
      if new.contains(.write) { events |= Int16(POLLOUT) }
      if let index = indices[socket] {
        if new.isEmpty {
          let last = descriptors.removeLast()
          indices[socket] = nil
          if last.fd != socket {
            descriptors[index] = last
            indices[last.fd] = index
          }
        } else {
          descriptors[index].events = events
        }
      } else if !new.isEmpty {
        indices[socket] = descriptors.count
        descriptors.append(pollfd(fd: socket, events: events, revents: 0))
      }
    }

    /// Removes a socket that is about to be closed.
    func forget(_ socket: Int32) { change(socket, from: .read, to: []) }

    func wait(_ milliseconds: Int32, into ready: inout [(socket: Int32, for: SocketWatch.Interest)]) {
      guard poll(&descriptors, nfds_t(descriptors.count), milliseconds) > 0 else { return }
      for descriptor in descriptors where descriptor.revents != 0 {
        if descriptor.fd == alarm.descriptor {
          alarm.silence()
          continue
        }
        var interest: SocketWatch.Interest = []
        if descriptor.revents & Int16(POLLIN) != 0 { interest.insert(.read) }
        if descriptor.revents & Int16(POLLOUT) != 0 { interest.insert(.write) }
        if descriptor.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { interest.insert(.failure) }
        ready.append((descriptor.fd, interest))
      }
    }
  }
#endif

#if canImport(Darwin)
  import Darwin

  /// Polls sockets with `poll`, and is woken by a pipe: `wake` may be called on any thread.
  final class SocketPoller {
    private var descriptors: [pollfd]
    private var indices: [Int32: Int] = [:]
    /// False if the system had no file descriptor left for the pipe.
    let isUsable: Bool
    private let alarm: (read: Int32, write: Int32)

    init() {
      var ends: [Int32] = [-1, -1]
      isUsable = pipe(&ends) == 0
      for end in ends where isUsable {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
      alarm = (ends[0], ends[1])
      descriptors = [pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)]
    }

    deinit {
      close(alarm.read)
      close(alarm.write)
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
        if descriptor.fd == alarm.read {
          var bytes = [UInt8](repeating: 0, count: 64)
          while read(alarm.read, &bytes, bytes.count) > 0 {}
          continue
        }
        var interest: SocketWatch.Interest = []
        if descriptor.revents & Int16(POLLIN) != 0 { interest.insert(.read) }
        if descriptor.revents & Int16(POLLOUT) != 0 { interest.insert(.write) }
        if descriptor.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { interest.insert(.failure) }
        ready.append((descriptor.fd, interest))
      }
    }

    func wake() {
      var one: UInt8 = 1
      _ = write(alarm.write, &one, 1)
    }
  }
#endif

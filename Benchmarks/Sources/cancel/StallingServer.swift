#if os(Linux)
  import BenchmarkSupport
  import CEpoll
  import Synchronization

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A server that accepts requests for `/0`, `/1`, … and never responds. It records the time at which each
  /// connection is closed.
  // This is safe to share, because `closings` is a mutex and only the server's thread uses the rest once it runs.
  final class StallingServer: @unchecked Sendable {
    private struct Closings {
      var arrived = 0
      var instants: [Int: ContinuousClock.Instant] = [:]
    }

    let port: UInt16
    private let listener: Int32
    private let poll: Int32
    /// The number of the request on each connection.
    private var numbers: [Int32: Int] = [:]
    private let closings = Mutex(Closings())

    init() throws {
      let open = try Listener(backlog: 4096)
      (listener, port) = (open.descriptor, open.port)
      _ = fcntl(listener, F_SETFL, O_NONBLOCK)
      poll = epoll_create1(0)
      bench_epoll_add(poll, listener, bench_epoll_readable)
    }

    /// The number of requests that have arrived.
    var arrived: Int { closings.withLock { $0.arrived } }

    /// The time at which the connection of each request was closed, by the request's number.
    var closed: [Int: ContinuousClock.Instant] { closings.withLock { $0.instants } }

    deinit { close(listener) }

    func start() {
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<StallingServer>.fromOpaque(argument!).takeRetainedValue().run()
          return nil
        }, Unmanaged.passRetained(self).toOpaque())
    }

    private func run() {
      // The server gets a higher priority if permitted. Otherwise the result would include its wait for a core.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -15)
      defer {
        for descriptor in numbers.keys { close(descriptor) }
        close(poll)
      }
      var events = [epoll_event](repeating: epoll_event(), count: 256)
      while true {
        let count = epoll_wait(poll, &events, Int32(events.count), -1)
        let now = ContinuousClock.now
        for event in events.prefix(max(0, Int(count))) {
          let descriptor = event.data.fd
          if descriptor == listener {
            guard event.events & bench_epoll_closed == 0 else { return }
            acceptAll()
          } else if event.events & bench_epoll_closed != 0 {
            // The server's end stays open for now, because closing it takes long and would be measured.
            if let number = numbers[descriptor] { closings.withLock { $0.instants[number] = now } }
          } else {
            read(descriptor)
          }
        }
      }
    }

    /// Ends the server's thread.
    func stop() {
      shutdown(listener, Int32(SHUT_RDWR))
    }

    private func acceptAll() {
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        bench_epoll_add(poll, descriptor, bench_epoll_readable | bench_epoll_closing | bench_epoll_once)
      }
    }

    /// Reads a request, which arrives in one piece because it is small and comes over the loopback interface.
    private func read(_ descriptor: Int32) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0, numbers[descriptor] == nil else { return }
      let digits = buffer.prefix(count).drop { $0 != 47 }.dropFirst().prefix { 48...57 ~= $0 }
      guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return }
      numbers[descriptor] = number
      closings.withLock { $0.arrived += 1 }
    }
  }
#endif

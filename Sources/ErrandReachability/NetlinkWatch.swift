#if os(Linux)
  import Dispatch
  import ErrandCore

  /// Reports the network status from the kernel's events until it is released. Between events it does nothing.
  final class NetlinkWatch: Sendable {
    /// Limits a turn, so that other work on the queue gets its turn during the dump of a large router.
    private static let piecesPerTurn = 16

    private let socket: NetlinkSocket
    private let queue: DispatchQueue
    private let source: Locked<any DispatchSourceRead>
    private let tell: WatchedStatus.Tell
    private let timeline = Timeline(ContinuousClock())
    private let state = Locked(NetlinkState())

    /// Starts the first dump. The first status is usually reported before this returns, because the kernel
    /// responds at once.
    /// - Parameter queue: A serial queue for all work.
    init(
      _ socket: NetlinkSocket, on queue: DispatchQueue = DispatchQueue(label: "errand.reachability"),
      _ tell: @escaping WatchedStatus.Tell
    ) {
      self.socket = socket
      self.queue = queue
      self.tell = tell
      source = Locked(DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue))
      source.withLock { source in
        source.setEventHandler { [weak self] in self?.read() }
        source.setCancelHandler { socket.end() }
      }
      queue.sync {
        step { $0.look(at: $1) }
        read()
      }
      source.withLock { $0.activate() }
    }

    deinit { source.withLock { $0.cancel() } }

    private func read() {
      for _ in 0..<Self.piecesPerTurn {
        switch socket.receive() {
        case .bytes(let bytes):
          step { state, now in NetlinkReader(bytes).flatMap { state.hear($0, at: now) } }
        case .lost: step { $0.look(at: $1) }
        case .failed(let error): step { $0.fail(error, at: $1) }
        case .nothingYet: return
        }
      }
    }

    private func step(_ event: (inout NetlinkState, Duration) -> [NetlinkState.Effect]) {
      let now = timeline.now()
      for effect in state.withLock({ event(&$0, now) }) { perform(effect) }
    }

    private func perform(_ effect: NetlinkState.Effect) {
      switch effect {
      case .ask(let request, let number):
        let error = socket.ask(request, number: number)
        if error != 0 { step { $0.fail(error, at: $1) } }
      case .tell(let status): tell(status)
      case .wake(let rest):
        queue.asyncAfter(deadline: .now() + rest.seconds) { [weak self] in self?.step { $0.wake(at: $1) } }
      case .giveUp:
        source.withLock { $0.cancel() }
        tell(.unknown)
      }
    }
  }
#endif

#if os(Linux)
  import Dispatch

  /// Tells what the kernel says of the network, for as long as it lives. Between two events it does nothing.
  // Safe to share: a dispatch source may be used from any thread, although its type does not say so; all else is Sendable.
  final class NetlinkWatch: @unchecked Sendable {
    /// So that other work gets its turn while the answers of a large router come in.
    private static let piecesPerTurn = 16

    private let socket: NetlinkSocket
    private let queue: DispatchQueue
    private let source: any DispatchSourceRead
    private let tell: NetworkBoard.Tell
    private let timeline = Timeline(ContinuousClock())
    private let state = Locked(NetlinkState())

    /// Takes the first look, and mostly tells what it saw before it returns: the kernel answers at once.
    /// - Parameter queue: Serial. Everything happens on it.
    init(
      _ socket: NetlinkSocket, on queue: DispatchQueue = DispatchQueue(label: "errand.reachability"),
      _ tell: @escaping NetworkBoard.Tell
    ) {
      self.socket = socket
      self.queue = queue
      self.tell = tell
      source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
      source.setEventHandler { [weak self] in self?.read() }
      source.setCancelHandler { socket.end() }
      queue.sync {
        step { $0.look(at: $1) }
        read()
      }
      source.activate()
    }

    deinit { source.cancel() }

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
        source.cancel()
        tell(.unknown)
      }
    }
  }
#endif

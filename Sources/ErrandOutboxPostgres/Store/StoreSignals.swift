#if Postgres
  import ErrandCore
  import ErrandOutbox

  /// Wakes other stores after this one has changed something, and looks for their changes. It also gives the
  /// signs of life of this worker.
  final class StoreSignals: Sendable {
    private struct State {
      var handler: (@Sendable () -> Void)?
      var tasks: [Task<Void, Never>] = []
      var isEnded = false
      var isWaking = false
      /// True if something has changed since the others were last woken.
      var hasUnheard = false
      /// The totals at the last look.
      var seen: String?
      var isLooking = false
      var looksAgain = false
      var pace: PollPace
    }

    private let core: StoreCore
    private let state: Locked<State>

    /// Begins the signs of life.
    /// - Parameter atBeat: Called with each sign of life.
    init(_ core: StoreCore, atBeat: @escaping @Sendable () async -> Void) {
      self.core = core
      state = Locked(State(pace: PollPace(longest: core.settings.pollInterval)))
      let interval = core.absence / 4
      keep(
        Task { [core] in
          while (try? await Task.sleep(for: interval)) != nil {
            await core.beat(within: interval)
            await atBeat()
            _ = try? await core.run("SELECT errand.fold()", [], isRepeatable: true, within: interval)
          }
        })
    }

    private func keep(_ task: Task<Void, Never>) {
      let isEnded = state.withLock { state in
        if !state.isEnded { state.tasks.append(task) }
        return state.isEnded
      }
      if isEnded { task.cancel() }
    }

    func end() {
      let tasks = state.withLock { state in
        state.isEnded = true
        state.handler = nil
        defer { state.tasks = [] }
        return state.tasks
      }
      for task in tasks { task.cancel() }
    }

    // MARK: Waking other stores

    /// Notes that this store has changed something.
    func hasChanged() {
      let begins = state.withLock { state in
        state.hasUnheard = true
        defer { state.isWaking = true }
        return !state.isWaking && !state.isEnded
      }
      if begins { Task { await wake() } }
    }

    /// Wakes the other stores until they have been woken for all changes.
    private func wake() async {
      // Changes that follow at once share a signal.
      try? await Task.sleep(for: .milliseconds(5))
      var isOver = false
      while !isOver {
        state.withLock { $0.hasUnheard = false }
        let answer = try? await core.run("SELECT errand.wake()", [], isRepeatable: true)
        let wait = answer?.first?.integer(0) ?? 0
        if wait > 0 { try? await Task.sleep(for: .milliseconds(wait)) }
        isOver = state.withLock { state in
          state.isWaking = wait > 0 || state.hasUnheard && !state.isEnded
          return !state.isWaking
        }
      }
    }

    // MARK: Looking for changes of others

    func listen(_ handler: @escaping @Sendable () -> Void) {
      let isFirst = state.withLock { state in
        guard !state.isEnded else { return false }
        defer { state.handler = handler }
        return state.handler == nil
      }
      guard isFirst else { return }
      core.state.withLock { core in
        core.onNotification = { [weak self] in self?.lookSoon() }
      }
      keep(
        Task { [weak self] in
          while !Task.isCancelled {
            guard let pause = await self?.look() else { return }
            if (try? await Task.sleep(for: pause)) == nil { return }
          }
        })
    }

    /// Looks at once, after a notification.
    private func lookSoon() {
      Task { [weak self] in _ = await self?.look() }
    }

    /// Calls the handler if other stores have changed something.
    /// - Returns: The time until the next look; nil if the store is closed.
    private func look() async -> Duration? {
      let mayBegin = state.withLock { state in
        if state.isLooking { state.looksAgain = true }
        defer { state.isLooking = true }
        return !state.isLooking
      }
      guard mayBegin else { return state.withLock { $0.pace.pause } }
      while true {
        let answer = try? await core.run(
          "SELECT errand.news($1::integer)", [.integer(core.owner)], isRepeatable: true)
        let (handler, isOver, pause) = state.withLock { state in
          let found = answer.map { $0.first?.text(0) ?? "" }
          let isNews = found != nil && found != state.seen
          if let found { state.seen = found }
          state.pace.looked(hasNews: isNews)
          let again = state.looksAgain && !state.isEnded
          state.looksAgain = false
          if !again { state.isLooking = false }
          return (isNews ? state.handler : nil, !again, state.isEnded ? nil : state.pace.pause)
        }
        handler?()
        if isOver { return pause }
      }
    }
  }

  /// Decides how often a store looks for changes of others: often while it finds changes, and less and less
  /// often while it finds nothing. Pure.
  struct PollPace: Sendable {
    static let shortest = Duration.milliseconds(50)

    private let longest: Duration
    private(set) var pause = shortest

    init(longest: Duration) { self.longest = max(longest, Self.shortest) }

    mutating func looked(hasNews: Bool) {
      pause = hasNews ? Self.shortest : min(pause * 3 / 2, longest)
    }
  }
#endif

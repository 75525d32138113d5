#if Postgres
  import CPostgres
  import Dispatch
  import ErrandCore
  import ErrandOutbox

  /// Sends statements to a database, over a few connections, on a dedicated thread. When a connection ends,
  /// the link makes a new one, and statements wait for it until their deadlines.
  final class PostgresLink: Sendable {
    struct Job: Sendable {
      var query: PostgresQuery
      /// When the job fails if it has no outcome yet, on the link's timeline; nil for no deadline.
      var deadline: Duration?
      /// True if the statement was sent before, and the connection ended before its outcome arrived.
      var isRepeat = false
      let reply: @Sendable (Result<PostgresAnswer, PostgresFailure>, _ isRepeat: Bool) -> Void

      func end(_ outcome: Result<PostgresAnswer, PostgresFailure>) { reply(outcome, isRepeat) }
    }

    /// The outcome of making a connection.
    struct Connected: Sendable {
      var isListener: Bool
      var outcome: Result<PostgresConnector.Made, PostgresFailure>
    }

    /// Everything that the link's thread takes at once.
    struct Mail: Sendable {
      var jobs: [Job] = []
      var connected: [Connected] = []
      /// When the link was closed; nil while it is open.
      var closed: Duration?
    }

    private struct Inbox {
      var mail = Mail()
      var isAwaited = false
      var waiters: [@Sendable () -> Void] = []
      var isOver = false
    }

    let url: PostgresURL
    private let deadline: Duration?
    private let inbox = Locked(Inbox())
    private let wakePipe: WakePipe
    private let start = ContinuousClock.now

    /// Starts the link's thread.
    /// - Parameter onNotification: Called on the link's thread for each notification of the channel, and when
    ///   the link begins to listen.
    init(
      _ url: PostgresURL, connections: Int, deadline: Duration?, channel: String? = nil,
      onNotification: @escaping @Sendable () -> Void = {}
    ) throws(OutboxError) {
      guard let pipe = WakePipe() else {
        throw OutboxError(.failed, "the process cannot open another file; raise its limit of open files")
      }
      self.url = url
      self.deadline = deadline
      wakePipe = pipe
      let isStarted = SystemThread.start { [self] in
        errand_name_postgres_thread("errand.postgres")
        let listener = channel.map { LinkListener(url, channel: $0, onNotification) }
        LinkThread(self, connections: connections, listener: listener).run()
      }
      guard isStarted else {
        throw OutboxError(.failed, "the system cannot start another thread for the outbox")
      }
    }

    /// The time since the link was made.
    var now: Duration { start.duration(to: .now) }
    var wakeFile: Int32 { wakePipe.reading }

    /// Sends a statement, and returns its result.
    func run(_ query: PostgresQuery, within limit: Duration? = nil) async throws -> PostgresAnswer {
      switch await outcome(of: query, within: limit) {
      case .success(let answer): return answer
      case .failure(let failure): throw failure.error(self)
      }
    }

    func outcome(
      of query: PostgresQuery, within limit: Duration? = nil
    ) async -> Result<PostgresAnswer, PostgresFailure> {
      await outcomeAndRepeat(of: query, within: limit).outcome
    }

    /// Sends a statement, and returns its outcome and whether it was sent more than once.
    func outcomeAndRepeat(
      of query: PostgresQuery, within limit: Duration? = nil
    ) async -> (outcome: Result<PostgresAnswer, PostgresFailure>, isRepeat: Bool) {
      Failpoint.hit(.beforeOperation)
      defer { Failpoint.hit(.afterOperation) }
      return await withCheckedContinuation { continuation in
        submit(query, within: limit) { continuation.resume(returning: ($0, $1)) }
      }
    }

    /// Sends a statement that fails at a time of the link's timeline. This time may have passed.
    func outcomeAndRepeat(
      of query: PostgresQuery, by deadline: Duration?
    ) async -> (outcome: Result<PostgresAnswer, PostgresFailure>, isRepeat: Bool) {
      await outcomeAndRepeat(of: query, within: deadline.map { max(.zero, $0 - now) } ?? .longest)
    }

    /// The deadline of a call that begins now; nil for no deadline.
    func callDeadline() -> Duration? { deadline.map { now + $0 } }

    /// Sends a statement, and blocks until its outcome arrives.
    func wait(for query: PostgresQuery) -> Result<PostgresAnswer, PostgresFailure> {
      let arrival = DispatchSemaphore(value: 0)
      let found = Locked<Result<PostgresAnswer, PostgresFailure>?>(nil)
      submit(query) { outcome in
        found.withLock { $0 = outcome }
        arrival.signal()
      }
      arrival.wait()
      return found.withLock { $0 } ?? .failure(PostgresFailure(.refused, "the server returned no result"))
    }

    /// Sends a statement.
    /// - Parameter reply: Called with the outcome, on the link's thread.
    func submit(
      _ query: PostgresQuery,
      _ reply: @escaping @Sendable (Result<PostgresAnswer, PostgresFailure>) -> Void = { _ in }
    ) {
      submit(query, within: nil) { outcome, _ in reply(outcome) }
    }

    private func submit(
      _ query: PostgresQuery, within limit: Duration?,
      _ reply: @escaping @Sendable (Result<PostgresAnswer, PostgresFailure>, _ isRepeat: Bool) -> Void
    ) {
      let job = Job(query: query, deadline: (limit ?? deadline).map { now + $0 }, reply: reply)
      let (isOpen, wakes) = inbox.withLock { inbox in
        guard inbox.mail.closed == nil else { return (false, false) }
        inbox.mail.jobs.append(job)
        defer { inbox.isAwaited = false }
        return (true, inbox.isAwaited)
      }
      if wakes { wakePipe.wake() }
      if !isOpen { job.end(.failure(PostgresFailure(.refused, state: Self.closed, "closed"))) }
    }

    /// The state of statements that were submitted after the link was closed. No server uses it.
    static let closed = "errand"

    /// Finishes the submitted statements within some seconds, ends the connections, and then calls `done`.
    func close(_ done: @escaping @Sendable () -> Void) {
      let closed = now
      let isOver = inbox.withLock { inbox in
        inbox.mail.closed = inbox.mail.closed ?? closed
        inbox.isAwaited = false
        if !inbox.isOver { inbox.waiters.append(done) }
        return inbox.isOver
      }
      wakePipe.wake()
      if isOver { done() }
    }

    // MARK: For the thread

    /// Takes everything that has arrived, and notes whether the thread is going to wait.
    func take(isWaiting: Bool) -> Mail {
      if isWaiting { wakePipe.drain() }
      return inbox.withLock { inbox in
        defer {
          inbox.mail.jobs = []
          inbox.mail.connected = []
          inbox.isAwaited = true
        }
        return inbox.mail
      }
    }

    /// Makes a connection, which a later `take` returns.
    func connect(_ request: ConnectionRequest, isListener: Bool) {
      PostgresConnector.connect(request) { [self] outcome in
        let (isOver, wakes) = inbox.withLock { inbox in
          guard !inbox.isOver else { return (true, false) }
          inbox.mail.connected.append(Connected(isListener: isListener, outcome: outcome))
          defer { inbox.isAwaited = false }
          return (false, inbox.isAwaited)
        }
        if wakes { wakePipe.wake() }
        if isOver, case .success(let made) = outcome { made.end() }
      }
    }

    /// Called by the thread at its end.
    func finish() {
      let (waiters, unused) = inbox.withLock { inbox in
        inbox.isOver = true
        defer {
          inbox.waiters = []
          inbox.mail.connected = []
        }
        return (inbox.waiters, inbox.mail.connected)
      }
      for connected in unused { if case .success(let made) = connected.outcome { made.end() } }
      for waiter in waiters { waiter() }
    }
  }

  extension PostgresFailure {
    /// The failure as an error for callers.
    func error(_ link: PostgresLink) -> OutboxError {
      state == PostgresLink.closed ? .closedStore : OutboxError(self, "\(link.url)")
    }
  }

  extension OutboxError {
    static let closedStore = OutboxError(.closed, "the outbox was closed")
  }
#endif

#if Postgres
  import CPostgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The work of a link's thread: gives statements to idle connections, and waits for their sockets.
  final class LinkThread {
    private struct Slot {
      let connection: PostgresConnection
      var job: PostgresLink.Job?
    }

    /// How long statements may take after the link was closed.
    private static let closingLimit = Duration.seconds(5)

    private let link: PostgresLink
    private let most: Int
    private let listener: LinkListener?
    private var slots: [Slot] = []
    private var waiting: [PostgresLink.Job] = []
    /// The number of connections that are being made.
    private var connecting = 0
    private var request: ConnectionRequest
    private var backoff = ConnectBackoff()
    private var closed: Duration?

    init(_ link: PostgresLink, connections: Int, listener: LinkListener?) {
      self.link = link
      self.listener = listener
      most = max(1, connections)
      request = ConnectionRequest(url: link.url)
    }

    func run() {
      var isWaiting = false
      while true {
        let mail = link.take(isWaiting: isWaiting)
        waiting += mail.jobs
        closed = mail.closed
        for connected in mail.connected { take(connected) }
        giveOut()
        connect()
        if let request = listener?.begin(at: link.now) { link.connect(request, isListener: true) }
        if closed != nil, waiting.isEmpty, slots.allSatisfy({ $0.job == nil }) { break }
        isWaiting = wait()
        expire()
      }
      slots = []
      link.finish()
    }

    /// Sends waiting statements over idle connections.
    private func giveOut() {
      var next = 0
      for index in slots.indices where next < waiting.count {
        guard slots[index].job == nil, case .idle = slots[index].connection.state else { continue }
        slots[index].job = waiting[next]
        slots[index].connection.send(waiting[next].query)
        Failpoint.hit(.beforeCommit)
        next += 1
      }
      if next > 0 { waiting.removeFirst(next) }
      removeEnded()
    }

    // MARK: Connecting

    /// Begins to make another connection, if statements wait for one.
    private func connect() {
      guard waiting.count > connecting, slots.count + connecting < most, backoff.mayConnect(at: link.now)
      else { return }
      // After a failure, a single connection finds out whether the server can be reached again.
      guard backoff.failure == nil || connecting == 0 else { return }
      connecting += 1
      link.connect(request, isListener: false)
    }

    private func take(_ connected: PostgresLink.Connected) {
      if connected.isListener {
        listener?.take(connected.outcome, at: link.now)
        return
      }
      connecting -= 1
      switch connected.outcome {
      case .success(let made):
        slots.append(Slot(connection: made.connection()))
        backoff.succeeded()
      case .failure(let failure):
        request.failed(failure)
        backoff.failed(failure, at: link.now)
        // If no later attempt can succeed either, the failure ends all waiting statements.
        if !failure.passes { failWaiting(failure) }
      }
    }

    // MARK: Waiting

    /// Waits for sockets and for the next deadline.
    /// - Returns: True if `take` has something to return.
    private func wait() -> Bool {
      var files = [pollfd(fd: link.wakeFile, events: Int16(POLLIN), revents: 0)]
      for slot in slots {
        files.append(pollfd(fd: slot.connection.socket, events: slot.connection.events, revents: 0))
      }
      if let file = listener?.file { files.append(file) }
      while poll(&files, nfds_t(files.count), timeout()) < 0, errno == EINTR {}
      for index in slots.indices where files[index + 1].revents != 0 {
        proceed(index)
      }
      if listener?.file != nil, files.count > slots.count + 1, files[files.count - 1].revents != 0 {
        listener?.proceed(at: link.now)
      }
      removeEnded()
      return files[0].revents != 0
    }

    private func proceed(_ index: Int) {
      guard let outcome = slots[index].connection.proceed(), let job = slots[index].job else { return }
      slots[index].job = nil
      Failpoint.hit(.afterCommit)
      switch outcome {
      case .answer(let answer): job.end(.success(answer))
      case .failure(let failure): end(job, failure)
      }
    }

    /// Ends a statement that failed, or sends it again if that is safe.
    private func end(_ job: PostgresLink.Job, _ failure: PostgresFailure) {
      var job = job
      switch failure.kind {
      case .refused where failure.isConflict: waiting.insert(job, at: 0)
      case .lost where job.query.isRepeatable:
        job.isRepeat = true
        waiting.insert(job, at: 0)
      default: job.end(.failure(failure))
      }
    }

    private func removeEnded() {
      var index = 0
      while index < slots.count {
        guard case .ended(let failure) = slots[index].connection.state else {
          index += 1
          continue
        }
        let slot = slots.remove(at: index)
        backoff.failed(failure, at: link.now)
        if let job = slot.job { end(job, failure) }
      }
    }

    private func failWaiting(_ failure: PostgresFailure) {
      let jobs = waiting
      waiting = []
      for job in jobs { fail(job, failure) }
    }

    /// Fails a statement that is not in progress. If it was sent before, it may have done its work.
    private func fail(_ job: PostgresLink.Job, _ failure: PostgresFailure) {
      var failure = failure
      if job.isRepeat { failure.kind = .lost }
      job.end(.failure(failure))
    }

    // MARK: Deadlines

    private func deadline(of job: PostgresLink.Job) -> Duration? {
      guard let closed else { return job.deadline }
      return min(job.deadline ?? closed + Self.closingLimit, closed + Self.closingLimit)
    }

    /// Fails the statements whose deadlines have passed.
    private func expire() {
      let now = link.now
      let isOver = { (job: PostgresLink.Job) in self.deadline(of: job).map { $0 <= now } ?? false }
      let late = waiting.filter(isOver)
      waiting.removeAll(where: isOver)
      for job in late {
        let reason =
          slots.isEmpty ? "no connection was made in time" : "all connections are in use"
        fail(job, backoff.failure ?? PostgresFailure(.unreachable, reason))
      }
      for index in slots.indices.reversed() {
        guard let job = slots[index].job, isOver(job) else { continue }
        // The connection is closed with it, because the server may never respond.
        slots.remove(at: index).connection.cancel()
        job.end(.failure(PostgresFailure(.late, "its deadline has passed")))
      }
    }

    /// The milliseconds until the next deadline; -1 for no deadline.
    private func timeout() -> Int32 {
      var times = (waiting + slots.compactMap(\.job)).compactMap(deadline)
      if !waiting.isEmpty, slots.count + connecting < most, backoff.failure != nil {
        times.append(backoff.next)
      }
      if let next = listener?.next { times.append(next) }
      guard let next = times.min() else { return -1 }
      return Int32(clamping: max(0, (next - link.now).wholeMilliseconds + 1))
    }
  }
#endif

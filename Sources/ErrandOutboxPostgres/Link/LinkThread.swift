#if Postgres
  import CPostgres
  import ErrandCore

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The work of a link's thread: gives statements to connections that are idle, and waits for their sockets.
  final class LinkThread {
    private struct Slot {
      let connection: PostgresConnection
      var job: PostgresLink.Job?
      /// When a connection that is being made is given up.
      var connectBy: Duration?
    }

    /// How long making one connection may take.
    private static let connectLimit = Duration.seconds(10)

    private let link: PostgresLink
    private let most: Int
    private let listener: LinkListener?
    private var slots: [Slot] = []
    private var waiting: [PostgresLink.Job] = []
    private var backoff = ConnectBackoff()

    init(_ link: PostgresLink, connections: Int, listener: LinkListener?) {
      self.link = link
      self.listener = listener
      most = max(1, connections)
    }

    func run() {
      var isWaiting = false
      while true {
        let (jobs, isClosed) = link.take(isWaiting: isWaiting)
        waiting += jobs
        giveOut()
        connect()
        listener?.step(at: link.now)
        if isClosed, waiting.isEmpty, slots.allSatisfy({ $0.job == nil }) { break }
        isWaiting = wait()
        expire()
      }
      slots = []
      listener?.end()
      link.finish()
    }

    /// Sends the statements that wait over the connections that are idle.
    private func giveOut() {
      var next = 0
      for index in slots.indices where next < waiting.count {
        guard slots[index].job == nil, case .idle = slots[index].connection.state else { continue }
        slots[index].job = waiting[next]
        slots[index].connection.send(waiting[next].query)
        next += 1
      }
      if next > 0 { waiting.removeFirst(next) }
      removeEnded()
    }

    /// Begins another connection, if statements wait for one.
    private func connect() {
      let now = link.now
      let connecting = slots.count { $0.connectBy != nil }
      guard waiting.count > connecting, slots.count < most, backoff.mayConnect(at: now) else { return }
      // After a failure, one connection finds out whether the server is back.
      guard backoff.failure == nil || connecting == 0 else { return }
      guard let connection = PostgresConnection(link.url, application: "errand") else {
        return backoff.failed(PostgresFailure(.unreachable, "there is no memory left"), at: now)
      }
      slots.append(Slot(connection: connection, connectBy: now + Self.connectLimit))
      removeEnded()
    }

    /// Waits for sockets and for the next deadline.
    /// - Returns: Whether the link has submitted something.
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
      let outcome = slots[index].connection.proceed()
      if slots[index].connectBy != nil, case .idle = slots[index].connection.state {
        slots[index].connectBy = nil
        backoff.succeeded()
      }
      guard let outcome, let job = slots[index].job else { return }
      slots[index].job = nil
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
        // What no later attempt can mend fails at once.
        if slot.connectBy != nil, !failure.passes { failWaiting(failure) }
      }
    }

    private func failWaiting(_ failure: PostgresFailure) {
      let jobs = waiting
      waiting = []
      for job in jobs { job.end(.failure(failure)) }
    }

    /// Fails the statements whose deadlines have passed.
    private func expire() {
      let now = link.now
      for job in waiting where job.deadline.map({ $0 <= now }) ?? false {
        job.end(.failure(backoff.failure ?? PostgresFailure(.unreachable, "all connections are in use")))
      }
      waiting.removeAll { $0.deadline.map { $0 <= now } ?? false }
      for index in slots.indices.reversed() {
        if let limit = slots[index].connectBy, limit <= now {
          slots.remove(at: index)
          backoff.failed(PostgresFailure(.unreachable, "no answer for \(Self.connectLimit)"), at: now)
        } else if let job = slots[index].job, let limit = job.deadline, limit <= now {
          // The connection is given up with it: the server may never answer.
          slots.remove(at: index)
          job.end(.failure(PostgresFailure(.late, "its deadline has passed")))
        }
      }
    }

    /// The milliseconds until the next deadline; -1 for none.
    private func timeout() -> Int32 {
      var times = waiting.compactMap(\.deadline) + slots.compactMap { $0.job?.deadline ?? $0.connectBy }
      if !waiting.isEmpty, slots.count < most, backoff.failure != nil { times.append(backoff.next) }
      if let next = listener?.next { times.append(next) }
      guard let next = times.min() else { return -1 }
      return Int32(clamping: max(0, (next - link.now).wholeMilliseconds + 1))
    }
  }
#endif

import CCurl
import ErrandCore
import Synchronization

/// Runs libcurl's multi interface on one thread. Other threads send it commands. Everything else happens on
/// its thread.
// Safe to share: `inbox` and `handles` are locked, and only the engine's thread uses the other variables. Their
// exclusivity is not checked, which would cost time in each turn: one thread makes all accesses, and none lasts
// while libcurl or a job runs, which could come back here.
final class CurlEngine: TaskExecutor, @unchecked Sendable {
  let options: CurlOptions
  let handles: CurlHandlePool
  let inbox: CurlInbox
  /// True if the file descriptors to wait with exist.
  private let isOpen = Atomic(false)
  /// Held while they are made.
  private let opening = Locked(())

  let watch = SocketWatch()
  /// The cookies of all transfers; nil if they are not kept.
  @exclusivity(unchecked) private(set) var cookies: CookieShare?
  private var multi: UnsafeMutableRawPointer!
  @exclusivity(unchecked) private var active: [CurlTransfer] = []
  /// Transfers with data to deliver to their sinks.
  @exclusivity(unchecked) private var touched: [CurlTransfer] = []
  /// Transfers that ended in this turn.
  @exclusivity(unchecked) private var settled: [(CurlTransfer, Result<Void, any Error>)] = []
  /// Transfers whose sending waits until this turn's data is read.
  @exclusivity(unchecked) private var yielding: [CurlTransfer] = []
  /// The jobs of tasks that prefer this thread.
  @exclusivity(unchecked) var jobs = CurlJobs()
  let ownThread = ThreadMark()
  @exclusivity(unchecked) private(set) var now = Moment.now
  /// The time at which libcurl wants to be called again.
  @exclusivity(unchecked) private var timer: Moment?
  /// The time at which a transfer was last in progress.
  @exclusivity(unchecked) private var lastActive = Moment.now
  /// The zero of the stall watch's milliseconds.
  private let epoch = Moment.now
  @exclusivity(unchecked) private var stalls = StallWatch<CurlTransfer>()
  @exclusivity(unchecked) private var connections = SharedConnections()
  /// The transfers whose responses last until TLS ends, by OpenSSL's connection.
  @exclusivity(unchecked) private var awaitingTLSEnd: [UnsafeRawPointer: CurlTransfer] = [:]

  init(_ options: CurlOptions) {
    inbox = CurlInbox(watch.alarm)
    self.options = options
    handles = CurlHandlePool(options)
  }

  /// True if the engine has the file descriptors to wait with. False if the system has none left; it tries again
  /// each time, so that the engine recovers when others have closed theirs.
  var canWait: Bool {
    if isOpen.load(ordering: .acquiring) { return true }
    // The engine's thread begins after this, so nothing else uses the poller meanwhile.
    return opening.withLock { _ in
      guard !isOpen.load(ordering: .acquiring) else { return true }
      let isMade = watch.open()
      isOpen.store(isMade, ordering: .releasing)
      return isMade
    }
  }

  // MARK: On the engine's thread

  func run() {
    errand_name_thread("errand.curl")
    begin()
    ownThread.set()
    var (batch, running) = ([CurlInbox.Command](), [UnownedJob]())
    while inbox.take(&batch) {
      now = .now
      // This comes before the connections are closed, which takes longer, so that all servers notice early.
      if batch.count > 1 { for case .cancel(let transfer) in batch { transfer.shutDown() } }
      for command in batch { carryOut(command) }
      batch.removeAll(keepingCapacity: true)
      let yielding = takeYielding()
      act()
      for transfer in yielding where transfer.index >= 0 { transfer.resumeSending() }
      now = .now
      collectFinished()
      deliverTouched()
      failStalled()
      tellSettled()
      jobs.take(&running)
      for job in running { job.runSynchronously(on: asUnownedTaskExecutor()) }
      if !running.isEmpty { now = .now }
      wait()
    }
    end()
  }

  private func begin() {
    multi = options.makeMulti()
    if options.keepsCookies { cookies = CookieShare() }
    let this = Unmanaged.passUnretained(self).toOpaque()
    errand_multi_set_socket_callback(
      multi,
      { easy, socket, what, user, _ in
        let engine = Unmanaged<CurlEngine>.fromOpaque(user!).takeUnretainedValue()
        engine.watch.want(SocketWatch.Interest(poll: what), of: socket, for: CurlTransfer.of(easy))
        return 0
      }, this)
    errand_multi_set_timer_callback(
      multi,
      { _, milliseconds, user in
        let engine = Unmanaged<CurlEngine>.fromOpaque(user!).takeUnretainedValue()
        engine.timer = milliseconds < 0 ? nil : engine.now.advanced(byMilliseconds: milliseconds)
        return 0
      }, this)
  }

  private func carryOut(_ command: CurlInbox.Command) {
    switch command {
    case .start(let transfer):
      guard transfer.isAwaited else { return }
      transfer.begin(joining: connections.joining(transfer.exchange.request))
      transfer.index = active.count
      active.append(transfer)
      keepConnections()
      watchForStall(of: transfer, from: now)
      curl_multi_add_handle(multi, transfer.easy)
    case .cancel(let transfer):
      let cancelled: Result<Void, any Error> = .failure(CancellationError())
      if transfer.index >= 0 {
        detach(transfer, isDone: false)
        settled.append((transfer, cancelled))
      } else {
        // The transfer has not begun, or its waiter waits for the sink to drain.
        transfer.finish(cancelled)
      }
    case .resume(let transfer):
      if transfer.index >= 0 { transfer.resume() }
    case .run(let job): jobs.add(job)
    }
  }

  /// Lets libcurl act on the sockets that are ready, and on its timers.
  private func act() {
    var running: Int32 = 0
    for (socket, interest) in watch.ready where watch.isStillReady(socket) {
      // A server that refuses an upload responds and closes. Its response is read before the next write fails.
      let hasCome = interest == .write && errand_peek(socket) == errand_arrival_bytes
      let ready = hasCome ? interest.union(.read) : interest
      curl_multi_socket_action(multi, socket, ready.selected, &running)
    }
    if let timer, timer <= now {
      self.timer = nil
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }
  }

  private func detach(_ transfer: CurlTransfer, isDone: Bool = false) {
    // The last stream of an avoided connection closes it.
    if !isDone, transfer.connection?.isAvoided == true { transfer.handle.forbidReuse() }
    stalls.remove(transfer)
    connections.leave(transfer)
    if let tls = transfer.tls { awaitingTLSEnd[tls] = nil }
    curl_multi_remove_handle(multi, transfer.easy)
    cookies?.remove(from: transfer.easy)
    let last = active.removeLast()
    if last !== transfer {
      active[transfer.index] = last
      last.index = transfer.index
    }
    transfer.index = -1
    keepConnections()
    if !isDone { transfer.close() }
  }

  /// Makes libcurl keep the permitted number of idle connections. When a transfer ends, libcurl closes a connection if
  /// there are too many, and counts those in use, that of this transfer included. Zero would mean its default.
  private func keepConnections() {
    let most = options.spread.idleConnections + active.count - 1
    errand_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, max(1, most))
  }

  /// The engine's slot in OpenSSL's connections. libcurl uses another slot.
  static let tlsPlace = errand_make_tls_place()

  /// Sets `hasTLSEnded` of the transfer when the server ends its side of TLS.
  func awaitTLSEnd(of transfer: CurlTransfer) {
    guard let tls = errand_tls_of(transfer.easy) else { return }
    let user = Unmanaged.passUnretained(self).toOpaque()
    let end = errand_await_tls_end(tls, Self.tlsPlace, user) { tls, kind, alert in
      guard errand_is_close_notify(kind, alert), let tls,
        let user = errand_tls_user(tls, CurlEngine.tlsPlace)
      else { return }
      Unmanaged<CurlEngine>.fromOpaque(user).takeUnretainedValue().awaitingTLSEnd[tls]?.hasTLSEnded = true
    }
    guard end != errand_tls_end_unknown else { return }
    transfer.tls = UnsafeRawPointer(tls)
    transfer.hasTLSEnded = end == errand_tls_end_here
    awaitingTLSEnd[UnsafeRawPointer(tls)] = transfer
  }

  /// Records that the transfer's request is sent on this connection.
  func isUsed(_ ends: SharedConnection.Ends, by transfer: CurlTransfer) {
    connections.join(transfer, ends, now: now)
  }

  private func collectFinished() {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while errand_next_done(multi, &easy, &code) != 0 {
      guard let transfer = CurlTransfer.of(easy) else { continue }
      if transfer.needsConnection(code) {
        curl_multi_remove_handle(multi, easy)
        transfer.handle.avoidConnections()
        curl_multi_add_handle(multi, easy)
        continue
      }
      let result = transfer.result(code)
      detach(transfer, isDone: true)
      if case .failure = result { transfer.close() }
      settled.append((transfer, result))
    }
  }

  /// Reports all outcomes of a turn together, so that a waiting thread is woken only once.
  private func tellSettled() {
    // A transfer that was cancelled in this turn has no waiter that would close it.
    for (transfer, result) in settled where !transfer.finish(result) { transfer.close() }
    settled.removeAll(keepingCapacity: true)
  }

  func touch(_ transfer: CurlTransfer) { touched.append(transfer) }

  /// Lets the transfer continue to send after the next turn has read.
  func resumesSending(_ transfer: CurlTransfer) { yielding.append(transfer) }

  private func takeYielding() -> [CurlTransfer] {
    guard !yielding.isEmpty else { return [] }
    defer { yielding = [] }
    return yielding
  }

  private func deliverTouched() {
    for transfer in touched where transfer.index >= 0 && !transfer.deliver() {
      let failure = transfer.failureOfSink
      detach(transfer)
      transfer.finish(.failure(failure))
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Fails the transfers that have made no progress within their time-out.
  private func failStalled() {
    for transfer in stalls.takeDue(at: now.milliseconds(since: epoch)) {
      guard !watchForStall(of: transfer, from: transfer.moved(by: now)) else { continue }
      connections.timedOut(transfer, now: now)
      let outcome = transfer.timedOut()
      if case .success = outcome { detach(transfer, isDone: true) } else { detach(transfer) }
      transfer.finish(outcome)
    }
  }

  /// Schedules the next check of whether the transfer has stalled.
  /// - Returns: False if the transfer has stalled already.
  @discardableResult
  private func watchForStall(of transfer: CurlTransfer, from moved: Moment) -> Bool {
    let timeout = transfer.exchange.request.timeout
    let (since, limit) = transfer.stallLimit(from: moved)
    guard var due = StallCheck.next(after: since, limit, now: now, isSending: transfer.isSending) else {
      return false
    }
    // Before the connection is made, the connect time-out applies. It may be longer than the time-out after that.
    due = min(due, now + timeout)
    // Rounded up, so that the time-out has certainly passed by then.
    stalls.insert(
      transfer, due: due.milliseconds(since: epoch) + 1, timeout: min(timeout, limit).wholeMilliseconds)
    return true
  }

  private func wait() {
    var due = timer
    if let next = stalls.next() {
      let next = epoch.advanced(byMilliseconds: next)
      due = due.map { min($0, next) } ?? next
    }
    if let rest = restBegins() { due = due.map { min($0, rest) } ?? rest }
    let milliseconds = due.map { Int32(clamping: max(0, $0.milliseconds(since: now) + 1)) } ?? -1
    let isBusy =
      timer.map { $0 <= now } == true || !jobs.isEmpty || !yielding.isEmpty || !inbox.mayWait()
    watch.wait(milliseconds: isBusy ? 0 : milliseconds)
    inbox.hasWoken()
  }

  /// Returns when to release the memory of bodies if no transfer begins before: a second after the last transfer.
  private func restBegins() -> Moment? {
    guard active.isEmpty, handles.memory.isInUse else {
      lastActive = now
      return nil
    }
    let rest = lastActive + .seconds(1)
    guard rest <= now else { return rest }
    handles.memory.release()
    return nil
  }

  private func end() {
    for transfer in active.reversed() {
      detach(transfer)
      transfer.finish(
        .failure(transfer.exchange.error(.connectionLost, "the transport was shut down", reachedServer: true))
      )
    }
    leave(inbox.takeLeft(), "the transport was shut down")
    ownThread.clear()
    var left: [UnownedJob] = []
    jobs.take(&left)
    for job in left { CurlJobs.runElsewhere(job) }
    handles.drain()
    curl_multi_cleanup(multi)
    cookies = nil
    for action in inbox.end() { action() }
  }
}

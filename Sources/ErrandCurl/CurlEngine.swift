import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// libcurl's multi interface on one thread. Others hand it commands; all else happens on its thread.
// Safe to share: `commands` is locked; everything else is touched on the engine's thread only.
final class CurlEngine: @unchecked Sendable {
  enum Command {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    /// Its sink has room again, or its body has more.
    case resume(CurlTransfer)
  }

  private struct Inbox {
    var commands: [Command] = []
    var isPolling = false
    var hasThread = false
    var isStopped = false
    var whenStopped: [@Sendable () -> Void] = []
    // Here as well, because others wake it: the thread takes it out before it frees it.
    nonisolated(unsafe) var multi: UnsafeMutableRawPointer?

    mutating func wakeIfPolling() {
      guard isPolling, let multi else { return }
      isPolling = false
      curl_multi_wakeup(multi)
    }
  }

  let options: CurlOptions
  let handles: CurlHandlePool
  private let inbox = Locked(Inbox())

  private var multi: UnsafeMutableRawPointer!
  private var active: [CurlTransfer] = []
  /// Transfers whose buffers have something, or that wait for the sink.
  private var touched: [CurlTransfer] = []
  private(set) var now = ContinuousClock.now
  private var nextCheck: ContinuousClock.Instant?

  init(_ configuration: CurlConfiguration) {
    options = CurlOptions(configuration)
    handles = CurlHandlePool(options)
  }

  // MARK: From any thread

  func start(_ transfer: CurlTransfer) {
    if !enqueue(.start(transfer)) {
      transfer.finish(
        .failure(
          transfer.exchange.error(.cannotConnect, "the transport has been shut down", reachedServer: false)))
    }
  }

  @discardableResult
  func enqueue(_ command: Command) -> Bool {
    let (isTaken, needsThread) = inbox.withLock { inbox -> (Bool, Bool) in
      guard !inbox.isStopped else { return (false, false) }
      inbox.commands.append(command)
      defer { inbox.hasThread = true }
      inbox.wakeIfPolling()
      return (true, !inbox.hasThread)
    }
    if needsThread { startThread() }
    return isTaken
  }

  /// Ends the thread: what is in flight fails, connections close. `done` is called when that has happened.
  func stop(_ done: @escaping @Sendable () -> Void = {}) {
    let isOver = inbox.withLock { inbox in
      inbox.isStopped = true
      guard inbox.hasThread else { return true }
      inbox.whenStopped.append(done)
      inbox.wakeIfPolling()
      return false
    }
    if isOver { done() }
  }

  private func startThread() {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        #if canImport(Darwin)
          let engine = Unmanaged<CurlEngine>.fromOpaque(argument).takeRetainedValue()
        #else
          let engine = Unmanaged<CurlEngine>.fromOpaque(argument!).takeRetainedValue()
        #endif
        engine.run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_attr_destroy(&attributes)
    precondition(code == 0, "the system has no thread left for CurlTransport")
  }

  // MARK: On the engine's thread

  private func run() {
    multi = options.makeMulti()
    nonisolated(unsafe) let multi = self.multi
    inbox.withLock { $0.multi = multi }
    var batch: [Command] = []
    while takeCommands(&batch) {
      now = .now
      for command in batch { carryOut(command) }
      batch.removeAll(keepingCapacity: true)
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      now = .now
      collectFinished()
      deliverTouched()
      failStalled()
      poll()
    }
    end()
  }

  /// False when the engine is to end.
  private func takeCommands(_ batch: inout [Command]) -> Bool {
    let (commands, isStopped) = inbox.withLock { [batch] inbox in
      defer { inbox.commands = batch }
      return (inbox.commands, inbox.isStopped)
    }
    batch = commands
    return !isStopped
  }

  private func carryOut(_ command: Command) {
    switch command {
    case .start(let transfer):
      guard transfer.isAwaited, transfer.prepare() else { return transfer.dispose() }
      transfer.index = active.count
      active.append(transfer)
      transfer.lastMove = now
      let check = now + transfer.exchange.request.timeout
      nextCheck = nextCheck.map { min($0, check) } ?? check
      curl_multi_add_handle(multi, transfer.easy)
    case .cancel(let transfer):
      guard transfer.index >= 0 else { return }
      detach(transfer)
    case .resume(let transfer):
      guard transfer.index >= 0 else { return }
      transfer.resume()
    }
  }

  private func detach(_ transfer: CurlTransfer, isDone: Bool = false) {
    // Nobody would tell the server of the reset: unless others use the connection, closing it does.
    if !isDone, options.isBeforeVersion8 { errand_setopt_long(transfer.easy, CURLOPT_FORBID_REUSE, 1) }
    curl_multi_remove_handle(multi, transfer.easy)
    let last = active.removeLast()
    if last !== transfer {
      active[transfer.index] = last
      last.index = transfer.index
    }
    transfer.index = -1
    transfer.dispose()
  }

  private func collectFinished() {
    var easy: UnsafeMutableRawPointer?
    var code = CURLE_OK
    while errand_next_done(multi, &easy, &code) != 0 {
      guard let easy else { continue }
      let transfer = CurlTransfer.of(easy)
      let result = transfer.result(code)
      detach(transfer, isDone: true)
      transfer.finish(result)
    }
  }

  func touch(_ transfer: CurlTransfer) { touched.append(transfer) }

  private func deliverTouched() {
    for transfer in touched where transfer.index >= 0 {
      if !transfer.deliver() {
        let failure = transfer.failureOfSink()
        detach(transfer)
        transfer.finish(failure)
      }
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Fails what has not moved for its time-out, and works out when to look again.
  private func failStalled() {
    guard let due = nextCheck, now >= due else { return }
    var next: ContinuousClock.Instant?
    for transfer in active.reversed() {
      let end = transfer.moved(by: now) + transfer.exchange.request.timeout
      if end <= now {
        let failure = transfer.timedOut()
        detach(transfer)
        transfer.finish(failure)
      } else {
        next = next.map { min($0, end) } ?? end
      }
    }
    nextCheck = next
  }

  private func poll() {
    let isIdle = inbox.withLock { inbox in
      inbox.isPolling = inbox.commands.isEmpty && !inbox.isStopped
      return inbox.isPolling
    }
    guard isIdle else { return }
    var wait = Int32.max
    if active.isEmpty { nextCheck = nil }
    if let nextCheck { wait = Int32(clamping: max(0, (nextCheck - now).wholeMilliseconds + 1)) }
    curl_multi_poll(multi, nil, 0, wait, nil)
    inbox.withLock { $0.isPolling = false }
  }

  private func end() {
    for transfer in active.reversed() {
      detach(transfer)
      transfer.finish(
        .failure(transfer.exchange.error(.connectionLost, "the transport was shut down", reachedServer: true))
      )
    }
    let left = inbox.withLock { inbox in
      inbox.multi = nil
      return inbox.commands
    }
    for case .start(let transfer) in left {
      transfer.dispose()
      transfer.finish(
        .failure(transfer.exchange.error(.cannotConnect, "the transport was shut down", reachedServer: false))
      )
    }
    handles.drain()
    curl_multi_cleanup(multi)
    options.freeShare()
    // Only now, so that a second shutdown neither waits for ever nor returns too soon.
    let done = inbox.withLock { inbox in
      inbox.hasThread = false
      defer { inbox.whenStopped = [] }
      return inbox.whenStopped
    }
    for action in done { action() }
  }
}

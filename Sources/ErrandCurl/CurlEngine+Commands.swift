import ErrandCore

/// The commands from other threads.
extension CurlEngine {
  func start(_ transfer: CurlTransfer) {
    guard canWait else { return refuse(transfer, "the system has no file descriptor left") }
    if !put(.start(transfer)) { refuse(transfer, "the transport was shut down") }
  }

  /// Runs a job on the engine's thread, or elsewhere if the engine cannot run it.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnThread { return jobs.add(job) }
    if !canWait || !put(.run(job)) { CurlJobs.runElsewhere(job) }
  }

  /// Returns false if the engine was stopped.
  private func put(_ command: CurlInbox.Command) -> Bool {
    switch inbox.put(command) {
    case .taken: return true
    case .takenFirst:
      if !SystemThread.start({ self.run() }) {
        let (commands, actions) = inbox.endWithoutThread()
        leave(commands, "the system has no thread left")
        for action in actions { action() }
      }
      return true
    case .refused: return false
    }
  }

  func leave(_ commands: [CurlInbox.Command], _ reason: String) {
    for command in commands {
      switch command {
      case .start(let transfer): refuse(transfer, reason)
      case .run(let job): CurlJobs.runElsewhere(job)
      case .cancel(let transfer): transfer.finish(.failure(CancellationError()))
      case .resume: break
      }
    }
  }

  var isOnThread: Bool { ownThread.isSet }

  /// Returns false if the engine has no thread that would end the transfer.
  func cancel(_ transfer: CurlTransfer) -> Bool {
    if case .refused = inbox.put(.cancel(transfer)) { false } else { true }
  }

  func resume(_ transfer: CurlTransfer) { _ = inbox.put(.resume(transfer)) }

  /// Ends the thread. Transfers in flight fail, and connections close. Calls `done` afterwards.
  func stop(_ done: @escaping @Sendable () -> Void = {}) { inbox.close(done) }

  private func refuse(_ transfer: CurlTransfer, _ reason: String) {
    transfer.finish(.failure(transfer.exchange.error(.cannotConnect, reason, reachedServer: false)))
  }
}

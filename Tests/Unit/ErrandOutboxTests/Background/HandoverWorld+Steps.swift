import ErrandTesting

@testable import ErrandOutbox

extension HandoverWorld {
  /// Makes one random event happen.
  mutating func step() {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: runJob()
    case 40..<65: moveTask()
    case 65..<78: tell()
    case 78..<82: moveOwn()
    default: changeApp()
    }
    guard let state else { return }
    if state.mayBeSuspended, isStoreOpen { faults.append("the store is open while the app may be suspended") }
  }

  // MARK: The session

  private mutating func moveTask() {
    guard let number = tasks.keys.sorted().randomElement(using: &random), let task = tasks[number] else {
      return
    }
    if chance(3) {
      // The system has lost it.
      if task.progress == .begun || answers[task.lease] != nil { destroy(task.lease) }
      if task.progress == .begun, chance(50) { _ = answer(task.lease) }
      tasks[number] = nil
      told.removeAll { $0.lease == task.lease }
      return
    }
    switch task.progress {
    case .suspended, .ended: return
    case .waiting:
      begin(task.lease)
      tasks[number]?.progress = .begun
    case .begun:
      answers[task.lease] = answer(task.lease)
      end(number, .finished)
    }
  }

  private mutating func end(_ number: Int, _ end: HandedEnd) {
    guard let lease = tasks[number]?.lease else { return }
    tasks[number]?.progress = .ended
    told.append((lease, end))
    // The system may or may not list a task that has ended.
    if chance(30) { tasks[number] = nil }
  }

  private mutating func cancel(_ number: Int) {
    guard let task = tasks[number], task.progress != .ended else { return }
    let hasBegun = task.progress == .begun
    if hasBegun {
      destroy(task.lease)
      if chance(50) { _ = answer(task.lease) }
    }
    end(number, .cancelled(hasBegun: hasBegun))
  }

  /// Reports the end of a task to the process, sometimes twice; launches or resumes the process for that.
  private mutating func tell() {
    guard !told.isEmpty else {
      if systemWaits, !isSuspended { apply { $0.drained() } }
      return
    }
    let isNew = state == nil
    if isNew { launch() }
    if isSuspended { isSuspended = false }
    if isNew || state?.mayBeSuspended == true, !systemWaits {
      systemWaits = true
      wakes += 1
      state?.awaitEvents()
      apply { $0.sleep() }
    }
    let index = Int.random(in: 0..<told.count, using: &random)
    let (lease, end) = told[index]
    if !chance(15) {
      told.remove(at: index)
      for (number, task) in tasks where task.lease == lease && task.progress == .ended { tasks[number] = nil }
    }
    apply { $0.ended(lease, end) }
  }

  private var listing: [SessionTask] {
    tasks.sorted { $0.key < $1.key }.map { SessionTask(number: $0, lease: $1.lease, progress: $1.progress) }
  }

  // MARK: The app

  private mutating func changeApp() {
    if state?.mode == .awake, !isSuspended { jobs.append(.check) }
    guard state != nil else {
      launch()
      let isWoken = !chance(70)
      return apply { isWoken ? $0.wake() : $0.sleep() }
    }
    switch isTroubled ? Int.random(in: 0..<8, using: &random) : 0 {
    case 0:
      guard isTroubled || isSuspended || state?.mode == .asleep else { return }
      isSuspended = false
      apply { $0.wake() }
    case 1, 2, 3:
      guard !isSuspended else { return }
      // The outbox stops sending first.
      for (lease, hasBegun) in own.sorted(by: { $0.key.number < $1.key.number }) {
        if hasBegun { destroy(lease) }
        finish(lease, .cancelled(hasBegun: hasBegun), isAccepted: false)
      }
      own = [:]
      apply { $0.sleep() }
    case 4, 5: if state?.mayBeSuspended == true { isSuspended = true }
    case 6:
      guard !isSuspended, state?.mode == .asleep else { return }
      jobs.removeAll { $0.isOpening }
      isHurried = true
      apply { $0.hurry() }
      isHurried = false
    default:
      if Int.random(in: 0..<3, using: &random) == 0 { kill() }
      // A user has removed the app from the list of recent apps, which also ends its tasks.
      if Int.random(in: 0..<12, using: &random) == 0 {
        kill()
        for (_, task) in tasks where task.progress == .begun || answers[task.lease] != nil {
          destroy(task.lease)
        }
        tasks = [:]
        told = []
      }
    }
  }

  private mutating func launch() {
    state = HandoverState(limit: 5)
    isSuspended = false
  }

  private mutating func kill() {
    for (lease, hasBegun) in own where hasBegun { destroy(lease) }
    // Ends that were reported to the process and that it has not recorded.
    for (lease, stage) in state?.requests ?? [:] {
      if case .recording = stage, answers[lease] != nil { destroy(lease) }
    }
    for lease in state?.early.keys.map(\.self) ?? [] where answers[lease] != nil { destroy(lease) }
    own = [:]
    state = nil
    jobs = []
    isStoreOpen = false
    systemWaits = false
  }

  /// The process's own delivery, while the app is in the foreground.
  private mutating func moveOwn() {
    guard let state, state.mode == .awake, isStoreOpen, !isSuspended else { return }
    guard
      let (lease, hasBegun) = own.sorted(by: { $0.key.number < $1.key.number }).randomElement(using: &random)
    else {
      for lease in take(2) { own[lease] = false }
      return
    }
    if !hasBegun {
      begin(lease)
      own[lease] = true
    } else {
      let isAccepted = answer(lease)
      own[lease] = nil
      finish(lease, .finished, isAccepted: isAccepted)
    }
  }

  // MARK: The process

  private mutating func apply(_ event: (inout HandoverState) -> [HandoverState.Effect]) {
    guard var changed = state else { return }
    let effects = event(&changed)
    state = changed
    for effect in effects { carryOut(effect) }
  }

  private mutating func carryOut(_ effect: HandoverState.Effect) {
    switch effect {
    case .open: jobs.append(.listRows)
    case .claim(let limit): jobs.append(.claim(limit))
    case .mark(let lease): jobs.append(.mark(lease))
    case .resume(let task): if tasks[task]?.progress == .suspended { tasks[task]?.progress = .waiting }
    case .cancel(let task): cancel(task)
    case .record(let lease, let end): jobs.append(.record(lease, end))
    case .settle: jobs.append(.settle)
    case .rest:
      if state?.mode == .asleep { closeStore() }
      guard systemWaits else { return }
      systemWaits = false
      let isRecording =
        state?.requests.values.contains { if case .recording = $0 { true } else { false } } ?? false
      if !isHurried, isRecording { faults.append("the system may suspend the app before a record") }
    }
  }

  private mutating func runJob() {
    guard !isSuspended, !jobs.isEmpty else { return }
    switch jobs.remove(at: Int.random(in: 0..<jobs.count, using: &random)) {
    case .listRows:
      isStoreOpen = true
      jobs.append(.listTasks(rows.filter { $0.owner == .session }.map(\.lease)))
    case .listTasks(let leases): jobs.append(.opened(leases, listing))
    case .opened(let leases, let tasks): apply { $0.opened(rows: leases, tasks: tasks) }
    case .claim(let limit):
      let leases = isStoreOpen && !chance(10) ? take(limit) : []
      jobs.append(.claimed(leases, leases.count == limit))
    case .claimed(let leases, let isMore):
      apply { $0.claimed(leases, isMore: isMore) }
      for lease in leases where state?.requests[lease] == .preparing { jobs.append(.prepare(lease)) }
    case .prepare(let lease):
      lastTask += 1
      tasks[lastTask] = Task(lease: lease)
      jobs.append(.prepared(lease, lastTask))
    case .prepared(let lease, let task): apply { $0.prepared(lease, task: task) }
    case .mark(let lease):
      let row = rows[index(lease)]
      let isDone = isStoreOpen && row.lease == lease && row.owner == .process && !chance(5)
      if isDone {
        rows[index(lease)].owner = .session
        handedOver += 1
      }
      jobs.append(.marked(lease, isDone))
    case .marked(let lease, let isDone): apply { $0.marked(lease, isDone: isDone) }
    case .record(let lease, let end):
      let isDone = isStoreOpen && !chance(10)
      if isDone { finish(lease, end, isAccepted: answers[lease] ?? false) }
      jobs.append(.recorded(lease, isDone))
    case .recorded(let lease, let isDone):
      let isOver = rows[index(lease)].isDelivered
      apply { $0.recorded(lease, isDone: isDone, isOver: isOver) }
    case .settle: jobs.append(.settled(listing))
    case .settled(let tasks): apply { $0.settled(tasks: tasks) }
    case .check: jobs.append(.checked(listing))
    case .checked(let tasks): apply { $0.checked(tasks: tasks) }
    }
  }
}

extension HandoverWorld.Job {
  fileprivate var isOpening: Bool {
    switch self {
    case .listRows, .listTasks, .opened: true
    default: false
    }
  }
}

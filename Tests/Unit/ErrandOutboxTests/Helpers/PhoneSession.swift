import ErrandCore
import ErrandCurl
import Foundation
import TestSupport

@testable import ErrandOutbox

/// A background session like the system's, which outlives the app: it sends from files over real sockets, and
/// follows redirects by itself.
final class PhoneSession: BackgroundSession {
  private struct Task {
    let upload: SessionUpload
    var progress = SessionTask.Progress.suspended
    var sending: _Concurrency.Task<Void, Never>?
  }

  private struct State {
    var tasks: [Int: Task] = [:]
    var last = 0
    var isHolding = false
    var handler: (@Sendable (SessionEvent) -> Void)?
    var events: [SessionEvent] = []
    var uploads: [SessionUpload] = []
    /// The number of ends that are being reported.
    var telling = 0

    /// Returns true if a task waits, and only `go` starts it.
    func isKept(_ number: Int) -> Bool {
      guard let task = tasks[number], task.progress == .waiting else { return false }
      return isHolding || task.upload.wait > .zero
    }
  }

  let identifier = "phone"
  private let client = Client(transport: CurlTransport())
  private let state = Locked(State())
  /// The number of times that each end is reported.
  private let timesTold: @Sendable () -> Int

  init(timesTold: @escaping @Sendable () -> Int = { 1 }) { self.timesTold = timesTold }

  // MARK: For the app

  func tasks() async -> [SessionTask] {
    state.withLock { state in
      state.tasks.map {
        SessionTask(number: $0.key, lease: $0.value.upload.lease, progress: $0.value.progress)
      }
    }
  }

  func makeTask(_ upload: SessionUpload) async throws -> Int {
    state.withLock { state in
      state.last += 1
      state.tasks[state.last] = Task(upload: upload)
      state.uploads.append(upload)
      return state.last
    }
  }

  func resume(task number: Int) {
    let begins = state.withLock { state in
      guard state.tasks[number]?.progress == .suspended else { return false }
      state.tasks[number]?.progress = .waiting
      return !state.isKept(number)
    }
    if begins { begin(number) }
  }

  func cancel(task number: Int) {
    let task: Task? = state.withLock { state in
      guard let task = state.tasks[number], task.progress != .ended else { return nil }
      state.tasks[number]?.progress = .ended
      return task
    }
    guard let task else { return }
    task.sending?.cancel()
    tell(number, task.upload.lease, .cancelled(hasBegun: task.progress == .begun))
  }

  func onEvent(_ handler: @escaping @Sendable (SessionEvent) -> Void) {
    let events = state.withLock { state in
      state.handler = handler
      defer { state.events = [] }
      return state.events
    }
    for event in events { handler(event) }
  }

  // MARK: For the test

  var uploads: [SessionUpload] { state.withLock { $0.uploads } }
  var untold: Int { state.withLock { $0.events.count } }
  var count: Int { state.withLock { $0.tasks.count } }

  /// Prevents tasks from starting.
  func hold() { state.withLock { $0.isHolding = true } }

  /// Starts the tasks that were held or not yet due.
  func go() {
    state.withLock { $0.isHolding = false }
    go { _ in true }
  }

  /// Starts some of them.
  func go(where isMeant: (Lease) -> Bool) {
    let waiting = state.withLock { state in
      state.tasks.filter { $0.value.progress == .waiting && isMeant($0.value.upload.lease) }.keys.sorted()
    }
    for number in waiting { begin(number) }
  }

  /// Suspends the app, or ends its process: no events are delivered until the next `onEvent` or `wakeApp`.
  func letAppSleep() { state.withLock { $0.handler = nil } }

  /// Reports that all events were delivered.
  func drain() { state.withLock { $0.handler }?(.drained) }

  /// Waits until no task is being sent or about to be, and all ends were reported.
  func whenQuiet() async throws {
    let limit = ContinuousClock.now + .seconds(10)
    try await waitUntil {
      if ContinuousClock.now > limit { throw OutboxError(.failed, "the session is not quiet") }
      return state.withLock { state in
        state.telling == 0
          && state.tasks.allSatisfy { $0.value.progress == .suspended || state.isKept($0.key) }
      }
    }
  }

  /// Forgets tasks without reporting their ends.
  func lose(where isLost: (Lease) -> Bool = { _ in true }) {
    let lost = state.withLock { state in
      let lost = state.tasks.filter { isLost($0.value.upload.lease) }
      for number in lost.keys { state.tasks[number] = nil }
      return lost.values.map(\.sending)
    }
    for sending in lost { sending?.cancel() }
  }

  /// Exchanges the numbers of the tasks, as after a launch.
  func renumber() {
    state.withLock { state in
      let numbers = state.tasks.keys.sorted()
      let tasks = zip(numbers, numbers.reversed().compactMap { state.tasks[$0] })
      state.tasks = Dictionary(uniqueKeysWithValues: tasks.map { ($0, $1) })
    }
  }

  /// Removes the app from the list of recent apps, as a user may.
  func forceQuit() {
    let tasks = state.withLock { state in
      defer { (state.tasks, state.events, state.handler) = ([:], [], nil) }
      return Array(state.tasks.values)
    }
    for task in tasks { task.sending?.cancel() }
  }

  /// Reports an end that did not happen.
  func invent(_ lease: Lease, _ end: SessionEnd) { state.withLock { $0.handler }?(.ended(lease, end)) }

  // MARK: Sending

  private func begin(_ number: Int) {
    state.withLock { state in
      guard let task = state.tasks[number], task.progress == .waiting else { return }
      state.tasks[number]?.progress = .begun
      state.tasks[number]?.sending = _Concurrency.Task { await self.send(number, task.upload) }
    }
  }

  private func send(_ number: Int, _ upload: SessionUpload) async {
    var request = Request(upload.method, upload.url.absoluteString)
    request.fields = upload.fields
    request.options.retry = .never
    request.options.memoryLimit = 16 << 20
    request = request.accepting(100..<600)
    // The system does the same, and leaves the credentials of others in place.
    request.fields.remove("Content-Length")
    if let file = upload.file { request.body = .file(file) }
    let end: SessionEnd
    do {
      let response = try await client.send(request)
      end = .response(
        SessionResponse(
          status: response.status, fields: response.fields, url: response.url, method: upload.method,
          body: response.data.prefix(upload.responseLimit + 1)))
    } catch let error as RequestError {
      end = .failure(error.code, message: error.message, reachedServer: error.reachedServer)
    } catch {
      end = .failure(.connectionLost, message: "\(error)", reachedServer: true)
    }
    let isThere = state.withLock { state in
      guard state.tasks[number]?.progress == .begun else { return false }
      state.tasks[number]?.progress = .ended
      return true
    }
    if isThere { tell(number, upload.lease, end) }
  }

  private func tell(_ number: Int, _ lease: Lease, _ end: SessionEnd) {
    let events = Array(repeating: SessionEvent.ended(lease, end), count: timesTold())
    let handler = state.withLock { state in
      if state.handler == nil { state.events += events }
      if state.tasks[number]?.progress == .ended { state.tasks[number] = nil }
      state.telling += 1
      return state.handler
    }
    if let handler { for event in events { handler(event) } }
    state.withLock { $0.telling -= 1 }
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The record of a server, and the tasks that wait until it meets a condition.
final class ServerJournal: Sendable {
  private struct Waiter {
    let condition: @Sendable (MockServer.Record) -> Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<MockServer.Record, any Error>
  }

  private struct State {
    var record = MockServer.Record()
    // The bodies are not in the record, because the record is copied for the waiters' conditions.
    var bodies: [Data] = []
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
    var isStopped = false
  }

  private let state = Locked(State())

  // MARK: Recording

  func update(_ change: (inout MockServer.Record) -> Void) {
    state.withLock { change(&$0.record) }
    wakeSatisfied()
  }

  /// Records a new request and returns it.
  func add(_ make: (_ index: Int) -> MockRequest) -> MockRequest {
    let request = state.withLock { state in
      let request = make(state.record.requests.count)
      state.record.requests.append(request)
      state.record.connections[request.connection - 1].requests += 1
      state.bodies.append(Data())
      return request
    }
    wakeSatisfied()
    return request
  }

  func append(_ data: Data, toBodyOf index: Int) {
    state.withLock { state in
      state.record.requests[index].bodyBytes += data.count
      state.bodies[index].append(data)
    }
  }

  func stop() {
    let waiters = state.withLock { state in
      state.isStopped = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values {
      waiter.continuation.resume(throwing: MockServerError("the server was stopped"))
    }
  }

  // MARK: Queries

  var record: MockServer.Record { state.withLock { $0.record } }

  var requests: [MockRequest] {
    state.withLock { state in
      zip(state.record.requests, state.bodies).map { request, body in
        var request = request
        request.body = body
        return request
      }
    }
  }

  func request(_ index: Int) -> MockRequest {
    state.withLock { state in
      var request = state.record.requests[index]
      request.body = state.bodies[index]
      return request
    }
  }

  /// The earliest deadline of the waiting tasks; nil without one.
  var nextDeadline: ContinuousClock.Instant? {
    state.withLock { $0.waiters.values.map(\.deadline).min() }
  }

  /// Waits until the condition holds. Calls `wake` when the server's loop must read the deadlines again.
  func wait(
    for what: String, until deadline: ContinuousClock.Instant, wake: @escaping @Sendable () -> Void,
    _ condition: @escaping @Sendable (MockServer.Record) -> Bool
  ) async throws -> MockServer.Record {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let isStopped = state.withLock { state in
            guard !state.isStopped else { return true }
            state.waiters[id] = Waiter(condition: condition, deadline: deadline, continuation: continuation)
            return false
          }
          if isStopped {
            continuation.resume(throwing: MockServerError("the server was stopped"))
          } else if Task.isCancelled {
            fail(id, CancellationError())
          } else {
            wakeSatisfied()
            wake()
          }
        }
      } onCancel: {
        fail(id, CancellationError())
      }
    } catch is TimeOver {
      throw MockServerError("timed out waiting for \(what); the server saw \(record)")
    }
  }

  private struct TimeOver: Error {}

  func failOverdue(_ now: ContinuousClock.Instant) {
    let overdue = state.withLock { state in
      state.waiters.filter { $0.value.deadline <= now }.map(\.key)
    }
    for id in overdue { fail(id, TimeOver()) }
  }

  private func fail(_ id: Int, _ error: any Error) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(throwing: error)
  }

  /// Resumes the tasks whose condition holds. Conditions are user code, so they run outside the lock.
  func wakeSatisfied() {
    let (record, waiters) = state.withLock { state in
      state.waiters.isEmpty ? (MockServer.Record(), [:]) : (state.record, state.waiters)
    }
    for (id, waiter) in waiters where waiter.condition(record) {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: record)
    }
  }
}

import Synchronization

/// A request that has been started. It continues even if no task waits for it, and after its `Call` is
/// released.
///
/// ```swift
/// let login = client.start(.post(loginURL, json: credentials).priority(.userInitiated))
/// let inbox = client.start(.get(inboxURL).after(login))
/// show(try await inbox.value)
/// ```
public final class Call: Sendable, Identifiable {
  /// Identifies a call within this process: the number in its events.
  public struct ID: Sendable, Hashable, CustomStringConvertible {
    let number: UInt64
    public var description: String { "\(number)" }
  }

  /// The number of the call, which its events carry as well.
  public let id: ID
  let cancellation: CancellationToken
  let promise = Promise<Response>()
  private let effectivePriority: EffectivePriority
  private let hub: ProgressHub
  private let about: @Sendable () -> String

  init(
    id: UInt64? = nil, cancellation: CancellationToken, effectivePriority: EffectivePriority,
    progress: ProgressHub, about: @escaping @Sendable () -> String
  ) {
    self.id = ID(number: id ?? CallCounter.next())
    self.cancellation = cancellation
    self.effectivePriority = effectivePriority
    self.about = about
    hub = progress
  }

  /// The response. Any number of tasks may wait for it, any number of times. Cancelling a waiting task ends
  /// its wait, but not the call.
  /// - Throws: `RequestError`, or the error that an interceptor threw.
  public var value: Response {
    get async throws { try await promise.value() }
  }

  /// The outcome, once the call has ended. The wait for it lasts until then, even if the waiting task is
  /// cancelled.
  public var result: Result<Response, any Error> {
    get async { await promise.settled() }
  }

  /// The outcome; nil until the call has ended.
  public var outcome: Result<Response, any Error>? { promise.outcome }

  /// Cancels the call, unless it has ended.
  public func cancel(reason: CancellationReason = .callCancelled) { cancellation.cancel(.cancelled(reason)) }

  /// The current priority of the call.
  public var priority: Priority { effectivePriority.current }

  /// Raises the priority, so that the call overtakes others that wait for a slot. A lower priority changes
  /// nothing.
  public func raisePriority(to priority: Priority) { effectivePriority.raise(to: priority) }

  /// Lowers the priority, so that others overtake the call while it waits for a slot. Use it for a result
  /// that is not needed now, but may be later. A higher priority changes nothing. A shared request for which
  /// other calls wait as well keeps its priority.
  public func lowerPriority(to priority: Priority) { effectivePriority.lower(to: priority) }

  /// Raises the priority to that of a call that waits for this one, if that is higher.
  func rise(with other: EffectivePriority) { effectivePriority.rise(with: other) }

  /// The progress of both bodies of the current attempt: the current value, and then each change until the call
  /// ends. A slow reader misses intermediate values.
  public var progress: some AsyncSequence<TransferProgress, Never> & Sendable {
    CallProgress(hub, until: promise)
  }
}

extension Call: CustomStringConvertible {
  /// The method and the URL, without its secrets.
  public var description: String { LogText.line(about()) }
}

extension Call: Hashable {
  public static func == (left: Call, right: Call) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The progress of a call. See `Call.progress`.
struct CallProgress: AsyncSequence, Sendable {
  typealias Element = TransferProgress
  typealias Failure = Never

  private let hub: ProgressHub
  private let changes: AsyncStream<Void>

  init(_ hub: ProgressHub, until promise: Promise<Response>) {
    self.hub = hub
    let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    let id = hub.listen { _ in change.yield() }
    let end = promise.listen { _ in change.finish() }
    change.onTermination = { _ in
      hub.stopListening(id)
      if let end { promise.stopListening(end) }
    }
  }

  /// Returns the current progress, and then each change.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let hub: ProgressHub
    fileprivate var changes: AsyncStream<Void>.Iterator
    private var last = TransferProgress(attempt: 0)

    fileprivate init(_ hub: ProgressHub, _ changes: AsyncStream<Void>.Iterator) {
      self.hub = hub
      self.changes = changes
    }

    mutating func next() async -> TransferProgress? {
      while await changes.next(isolation: #isolation) != nil {
        let current = hub.current
        guard current != last else { continue }
        last = current
        return current
      }
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(hub, changes.makeAsyncIterator()) }
}

/// Gives numbers to calls, from 1.
enum CallCounter {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

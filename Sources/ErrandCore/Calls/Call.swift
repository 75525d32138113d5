/// A request that was started and goes on by itself, whoever waits for it. Letting go of the `Call` changes nothing.
///
/// ```swift
/// let login = client.start(.post(loginURL, json: credentials).priority(.userInitiated))
/// let inbox = client.start(.get(inboxURL).after(login))
/// show(try await inbox.value)
/// ```
public final class Call: Sendable, Identifiable {
  /// Names a call, in this process.
  public struct ID: Sendable, Hashable, CustomStringConvertible {
    let number: UInt64
    public var description: String { "\(number)" }
  }

  public let id: ID
  let signal: StopSignal
  let settlement = Settlement<Response>()
  private let urgency: Urgency
  private let hub: ProgressHub
  private let about: @Sendable () -> String

  init(
    signal: StopSignal, urgency: Urgency, progress: ProgressHub, about: @escaping @Sendable () -> String
  ) {
    id = ID(number: CallCounter.next())
    self.signal = signal
    self.urgency = urgency
    self.about = about
    hub = progress
  }

  /// The answer. As many as like may wait for it, and as often. Cancelling a task that waits ends its wait, not the call.
  /// - Throws: `RequestError`, or what an interceptor threw.
  public var value: Response {
    get async throws { try await settlement.value() }
  }

  /// How it ended, once it has. Cancelling a task that waits does not end the wait.
  public var result: Result<Response, any Error> {
    get async { await settlement.settled() }
  }

  /// How it ended, or nil while it goes on.
  public var outcome: Result<Response, any Error>? { settlement.outcome }

  /// Calls it off, unless it has ended.
  public func cancel(reason: CancellationReason = .callCancelled) { signal.stop(.cancelled(reason)) }

  /// How soon it is wanted.
  public var priority: Priority { urgency.current }

  /// Lets it overtake those it waits with. A priority only goes up.
  public func raisePriority(to priority: Priority) { urgency.raise(to: priority) }

  /// Becomes as urgent as a call that waits for it.
  func rise(with other: Urgency) { urgency.rise(with: other) }

  /// How far it is. Ends with the call.
  public var progress: CallProgress { CallProgress(hub, until: settlement) }
}

extension Call: CustomStringConvertible {
  /// The method and the URL, without its secrets.
  public var description: String { about() }
}

extension Call: Hashable {
  public static func == (left: Call, right: Call) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

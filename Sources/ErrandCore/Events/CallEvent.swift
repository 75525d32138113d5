#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A step of a call, as an `EventListener` is told of it. It shows no secret.
///
/// It is meant to be read where it is received: what it does not hold is computed when it is asked for, so that a
/// listener pays for what it reads.
public struct CallEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
    /// The call was made.
    case started
    /// The call shares the response of the call with this number; 0 if that has ended already.
    case coalesced(with: UInt64)
    /// The call began to wait.
    case waiting(EventWait)
    /// A wait is over.
    case waited(EventWait)
    /// The response cache was asked, and this came of it.
    case cacheDecided(CacheDecision)
    /// A request is about to be sent: that of an attempt, or the one that a redirect leads to.
    case attemptStarted(EventRequest)
    /// The name of the host was looked up, in this time.
    case resolved(Duration)
    /// A connection was made, in this time after the look-up.
    case connected(Duration)
    /// TLS was agreed upon, in this time after connecting.
    case secured(Duration)
    /// A connection that was there is used.
    case connectionReused
    /// The connection leads to this address, without a port.
    case reached(address: String)
    /// The header fields of the request are on their way.
    case fieldsSent
    /// The body of the request is on its way whole: so many bytes.
    case bodySent(Int64)
    /// The request is sent once more within its attempt: its connection had ended, or the server refused it unprocessed.
    case resent
    /// The first byte of the response is here.
    case firstByte
    /// The head of the response is here, and its body, unless that is a stream.
    case responded(EventResponse)
    /// The response leads to this request.
    case redirected(EventRequest)
    /// The response has passed the request's checks.
    case validated
    /// An attempt has failed.
    case attemptFailed(EventFailure)
    /// There will be another attempt, after this time, because of the failure of the last.
    case retrying(after: Duration, because: EventFailure)
    /// The call has ended with a response; for a stream, at its last byte.
    case finished(EventResponse)
    /// The call has failed.
    case failed(EventFailure)
    /// The call was cancelled.
    case cancelled(CancellationReason)
  }

  public let kind: Kind
  /// The number of the attempt in its call, from 1; 0 before the first.
  public let attempt: Int
  /// The number of redirects that the attempt has followed.
  public let redirects: Int
  let events: CallEvents
  /// The time, if the event is told later than it happened.
  var noted: Duration?

  /// Identifies the call within this process.
  public var call: UInt64 { events.id }

  /// The time since the client was made, by the client's clock.
  public var time: Duration { noted ?? events.client.timeline.now() }

  /// The time by the client's wall clock, now.
  public var date: Date { events.client.date() }

  /// The request that the call was made with.
  public var request: EventRequest { EventRequest(events.request, events.client) }

  /// The name of the scope that the call was made in; nil for none.
  public var scope: String? { events.scope?.name }

  /// The names of that scope and of those that it is in, outermost first; empty for none.
  public var scopes: [String] { events.scope?.path ?? [] }

  /// What the call was made for.
  public var purpose: CallPurpose { events.purpose }

  /// True for the last event of a call.
  public var isEnd: Bool { kind.isEnd }
}

extension CallEvent.Kind {
  var isEnd: Bool {
    switch self {
    case .finished, .failed, .cancelled: true
    default: false
    }
  }
}

/// What a call waits for.
public enum EventWait: Sendable, Hashable {
  /// The calls that it depends on (`Request.after`).
  case dependencies
  /// A slot (`ConcurrencyLimits`).
  case slot
  /// The time between two attempts: so long.
  case backoff(Duration)
  /// The response of the call with this number, which it shares.
  case sharedResponse(UInt64)
}

/// What a call was made for.
public enum CallPurpose: String, Sendable, Hashable {
  /// A caller.
  case caller
  /// All callers that share one request: theirs are calls of their own, which wait for this one.
  case sharing
  /// A cached response that is renewed, while its caller has the present one.
  case renewal
}

/// What the response cache was asked for, and why it did or did not give a response.
public enum CacheDecision: Sendable, Hashable {
  /// There is no cached response that may be used.
  case missing
  /// The cached response is too old: its age.
  case stale(Duration)
  /// The cached response is delivered: its age.
  case hit(Duration)
  /// The cached response is delivered, and renewed meanwhile: its age.
  case hitAndRenew(Duration)
  /// The server is out of reach, and the cached response is delivered in its place: its age.
  case fallback(Duration)
}

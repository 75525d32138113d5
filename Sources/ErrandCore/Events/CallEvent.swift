import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A step of a call, as an `EventListener` receives it. It shows no secret.
///
/// Many properties are computed at each access, so that a listener only pays for those it reads. An event that is
/// kept holds its request and response. Its time and date stay those at which it happened.
public struct CallEvent: Sendable {
  /// The kind of a step.
  public enum Kind: Sendable {
    /// The call was made.
    case started
    /// The call shares the response of the call with this number, or 0 if that call has ended already.
    case coalesced(with: UInt64)
    /// The call began to wait.
    case waiting(EventWait)
    /// The call has ended a wait.
    case waited(EventWait)
    /// The response cache was looked up, with this result.
    case cacheDecided(CacheDecision)
    /// A request is about to be sent: that of an attempt, or that of a redirect.
    case attemptStarted(EventRequest)
    /// The host's name was resolved, in this time.
    case resolved(Duration)
    /// A connection was made, in this time after the host's name was resolved.
    case connected(Duration)
    /// The TLS handshake was completed, in this time after connecting.
    case secured(Duration)
    /// An existing connection is reused.
    case connectionReused
    /// The connection leads to this IP address, without a port.
    case reached(address: String)
    /// The header fields of the request were written to the connection.
    case fieldsSent
    /// The complete body of the request was written to the connection, with this number of bytes.
    case bodySent(Int64)
    /// The request is sent again within its attempt, because its connection had ended or the server refused
    /// it unprocessed.
    case resent
    /// The first byte of the response has arrived.
    case firstByte
    /// An interim response (1xx) has arrived, such as 103 with its `Link` fields (RFC 8297). Several may come
    /// before the response. Only `CurlTransport` reports them.
    case interim(EventInterimResponse)
    /// The head of the response has arrived, and its body, unless that is a stream.
    case responded(EventResponse)
    /// The response redirects to this request.
    case redirected(EventRequest)
    /// The response has passed the request's checks.
    case validated
    /// An attempt has failed.
    case attemptFailed(EventFailure)
    /// Another attempt follows after this time, because of this failure.
    case retrying(after: Duration, because: EventFailure)
    /// The response has not begun within this time, and the call with this number makes a second attempt
    /// (``Request/hedged(after:)-(HedgeDelay)``). It ends with a response if it wins, and is cancelled if it does not.
    case hedged(by: UInt64, after: Duration)
    /// The second attempt, which is the call with this number, got a response first. The first attempt is cancelled, and
    /// this call gets that response.
    case overtaken(by: UInt64)
    /// The call has ended with a response. For a stream, this is the time of its last byte.
    case finished(EventResponse)
    /// The call has failed.
    case failed(EventFailure)
    /// The call was cancelled.
    case cancelled(CancellationReason)
  }

  /// The kind of the step.
  public let kind: Kind
  /// The number of the attempt in its call, from 1; 0 before the first attempt.
  public let attempt: Int
  /// The number of redirects that the attempt has followed.
  package let redirects: Int
  let events: CallEvents
  /// The time of the event since the client was made, by the client's clock.
  public let time: Duration

  /// The number of the call within this process.
  public var call: UInt64 { events.id }

  /// The date of the event by the client's wall clock. It is that clock's current date, less the time that has
  /// passed since the event.
  public var date: Date { events.client.date() - (events.client.timeline.now() - time).seconds }

  /// The request that the call was made with.
  public var request: EventRequest { EventRequest(events.request, events.client) }

  /// The name of the scope that the call was made in; nil for a call without a scope.
  public var scope: String? { events.scope?.name }

  /// The names of that scope and its enclosing scopes, outermost first; empty for a call without a scope.
  package var scopes: [String] { events.scope?.path ?? [] }

  /// True if the call has begun the request that it shares, and did not join another call's.
  package var beganSharing: Bool { events.beganSharing.load(ordering: .relaxed) }

  /// The purpose of the call.
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

/// The reason why a call waits.
public enum EventWait: Sendable, Hashable {
  /// The calls that it depends on (`Request.after`).
  case dependencies
  /// A slot (`ConcurrencyLimits`).
  case slot
  /// The rate limits, or a server's quota (`RateLimits`).
  case rateLimit
  /// The network (`Request.waitsForNetwork`).
  case network
  /// The time between two attempts, with its length.
  case backoff(Duration)
  /// The response of the call with this number, which this call shares.
  case sharedResponse(UInt64)
}

/// The purpose of a call.
public enum CallPurpose: String, Sendable, Hashable {
  /// A caller made the call.
  case caller
  /// The call performs a request for all callers that share it. Each of these has another call, which waits
  /// for this one.
  case sharing
  /// The call renews a cached response, which its caller has already received.
  case renewal
  /// The call is the second attempt of another call (``Request/hedged(after:)-(HedgeDelay)``).
  case hedge
}

/// The result of a lookup in the response cache.
public enum CacheDecision: Sendable, Hashable {
  /// No cached response may be used.
  case missing
  /// The cached response is too old; its age.
  case stale(Duration)
  /// The cached response is delivered; its age.
  case hit(Duration)
  /// The cached response is delivered, and renewed in the background; its age.
  case hitAndRenew(Duration)
  /// The server is unavailable, and the cached response is delivered instead; its age.
  case fallback(Duration)
  /// The decision of the HTTP cache. After a validation, there is a second one.
  case http(CacheStatus)
}

package import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The times and reasons of one request for an entry of a HAR file, computed from the events of its call.
/// Pure.
package struct HARStep: Sendable {
  /// A point in time, on the client's timeline and by its wall clock.
  package struct Moment: Sendable {
    let time: Duration
    let date: Date

    package init(_ event: CallEvent) { (time, date) = (event.time, event.date) }
  }

  let attempt: Int
  let redirects: Int
  let date: Date
  private(set) var moments: HARTimings.Moments
  private(set) var address: String?
  private(set) var sent: Int64?
  private(set) var redirectURL = ""
  /// The number of times that the request was sent again within its attempt.
  package private(set) var resends = 0
  private(set) var error: String?
  private(set) var retry: (because: String, after: Duration)?
  private var hasResponse = false
  /// True if the length of the response is known. For a stream, it is known only at the end.
  private var isWhole = false

  /// - Parameters:
  ///   - event: The event that reports the request.
  ///   - since: The time at which the request began to wait: the call's start, or the end of the preceding
  ///     step.
  package init(_ event: CallEvent, since: Moment) {
    (attempt, redirects) = (event.attempt, event.redirects)
    date = since.date
    let time = event.time
    moments = HARTimings.Moments(begin: since.time, started: time, end: time)
  }

  /// Makes the step of a response that came from the cache.
  package init(cached event: CallEvent, since: Moment) {
    (attempt, redirects) = (0, 0)
    date = since.date
    moments = HARTimings.Moments(begin: since.time, started: since.time, end: event.time)
  }

  package mutating func take(_ event: CallEvent) {
    switch event.kind {
    case .resolved(let time): moments.dns = time
    case .connected(let time): moments.connect = time
    case .secured(let time): moments.tls = time
    case .reached(let address): self.address = address
    case .fieldsSent: moments.fieldsSent = event.time
    case .bodySent(let bytes): (moments.bodySent, sent) = (event.time, bytes)
    case .resent: resends += 1
    case .firstByte: moments.firstByte = event.time
    case .responded(let response):
      if let metrics = response.metrics { moments.take(metrics) }
      (moments.end, hasResponse, isWhole) = (event.time, true, response.bodyLength != nil)
    case .redirected(let request): redirectURL = request.url
    case .attemptFailed(let failure):
      error = failure.message
      if !hasResponse { moments.end = event.time }
    case .overtaken: (error, moments.end) = ("cancelled: \(CancellationReason.overtaken)", event.time)
    case .retrying(let wait, let failure): retry = (failure.message, wait)
    case .finished: if hasResponse, !isWhole { moments.end = event.time }
    case .failed(let failure): error = error ?? failure.message
    case .cancelled(let reason):
      // A cancelled attempt needs no more detailed error.
      if !isWhole { (error, moments.end) = ("cancelled: \(reason)", event.time) }
    default: break
    }
  }
}

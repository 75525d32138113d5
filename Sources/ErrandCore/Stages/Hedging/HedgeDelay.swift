/// The time after which a second attempt is made beside the first (``Request/hedged(after:)-(HedgeDelay)``).
public struct HedgeDelay: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case never
    case percentile(Double)
    case fixed(Duration)
  }

  let kind: Kind

  /// The time within which 90 % of the origin's responses have begun.
  public static let p90 = percentile(0.9)
  /// The time within which 95 % of the origin's responses have begun.
  public static let p95 = percentile(0.95)
  /// The time within which 99 % of the origin's responses have begun.
  public static let p99 = percentile(0.99)
  /// No second attempt. It switches `ClientConfiguration.hedging` off for a request.
  public static let never = HedgeDelay(kind: .never)

  /// The time within which this share of the origin's responses have begun. It is measured from sending a request,
  /// including its body, to the head of its response.
  ///
  /// The client measures the last 1,000 attempts of each origin that were made with this option, at most ten minutes
  /// old. It makes no second attempt before it has measured 20 of them, or as many as the share needs: 100 for 0.99.
  /// - Parameter share: The share of the responses, at least 0 and less than 1. A request with any other number fails
  ///   with `RequestError` (`invalidRequest`).
  public static func percentile(_ share: Double) -> HedgeDelay { HedgeDelay(kind: .percentile(share)) }

  /// A fixed time.
  /// - Parameter time: The time, more than zero. A request with any other time fails with `RequestError`
  ///   (`invalidRequest`).
  public static func after(_ time: Duration) -> HedgeDelay { HedgeDelay(kind: .fixed(time)) }

  /// The delay as text, such as `p95` or `0.2 s`.
  public var description: String {
    switch kind {
    case .never: "never"
    case .percentile(let share):
      (share * 100).rounded() == share * 100 && (0..<1).contains(share)
        ? "p\(Int(share * 100))" : "percentile \(share)"
    case .fixed(let time): time.formattedSeconds
    }
  }

  /// The reason why the delay cannot be used; nil if it can.
  var problem: String? {
    switch kind {
    case .never: nil
    case .percentile(let share):
      (0..<1).contains(share)
        ? nil
        : "the percentile for a second attempt (hedged) is \(share): use a number that is at least 0 and less than 1"
    case .fixed(let time):
      time > .zero
        ? nil
        : "the delay of a second attempt (hedged) is \(time.formattedSeconds): use a time that is longer than zero"
    }
  }
}

extension Request {
  /// Makes a second attempt beside the first if the response does not begin in time. The first response that is
  /// accepted wins, and the other attempt is cancelled. Use it for reads whose slowest responses matter.
  ///
  /// ```swift
  /// let price = try await client.send(.get(priceURL).hedged(after: .p95))
  /// ```
  ///
  /// There is a second attempt only if all of this is true:
  ///
  /// - The request may be repeated: it is idempotent or has an idempotency key, and its body can be sent again.
  /// - The response does not go into a file, because two attempts would write it.
  /// - Second attempts are at most 5 % of the client's attempts with this option. When few are left, a second attempt
  ///   comes after twice the delay, so that the slowest responses get them.
  /// - `ClientConfiguration.retryBudget` allows it, as it does a retry.
  /// - A slot is free and the rate limits allow an attempt at once. A second attempt never waits.
  /// - No response of the origin to such a request has asked to wait with `Retry-After`.
  ///
  /// Both attempts are parts of one attempt of the retry policy, and each is authenticated and signed. A failure of
  /// one is not the outcome while the other runs. If both fail, the call gets the error of the first, or that of
  /// the second if its response asks to wait longer. A request of an outbox or an event stream, and a part of a resumable
  /// upload, have no second attempt.
  /// - Parameter delay: The time before the second attempt. It replaces `ClientConfiguration.hedging`.
  public func hedged(after delay: HedgeDelay) -> Request { with { $0.options.hedging = delay } }

  /// Makes a second attempt beside the first if the response does not begin within a fixed time. See
  /// ``hedged(after:)-(HedgeDelay)``.
  /// - Parameter time: The time, more than zero. With any other time, the request fails with `RequestError`
  ///   (`invalidRequest`).
  public func hedged(after time: Duration) -> Request { hedged(after: .after(time)) }
}

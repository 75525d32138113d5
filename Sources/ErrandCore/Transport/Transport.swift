/// Moves one attempt over the network. All layers above are the same for every transport; a new one must pass
/// `TransportConformance` in ErrandTesting.
public protocol Transport: Sendable {
  /// Performs one attempt and returns when the last byte of the response is in the sink.
  ///
  /// A transport
  /// - sends `exchange.request` as it is and follows no redirect: a 3xx is a response like any other;
  /// - calls `exchange.sink(for:)` once, with the final head (no 1xx), and writes the body, decompressed,
  ///   into the sink that it gets, as fast as the sink accepts it;
  /// - reports the bytes that it sent to `exchange`;
  /// - fails with `RequestError(.timedOut)` when no bytes moved for `exchange.request.timeout`;
  /// - stops at once when the handler of `exchange.onCancel` is called: closes the socket or resets the
  ///   stream, and throws.
  ///
  /// - Throws: `RequestError`, whose `reachedServer` says whether the server may have received the request.
  func perform(_ exchange: Exchange) async throws -> TransferResult

  /// Closes idle connections and releases the transport's resources. No attempt is performed afterwards.
  func shutdown() async
}

/// The result of an attempt that got a response.
public struct TransferResult: Sendable {
  public let head: ResponseHead
  public let metrics: TransferMetrics

  public init(head: ResponseHead, metrics: TransferMetrics) {
    self.head = head
    self.metrics = metrics
  }
}

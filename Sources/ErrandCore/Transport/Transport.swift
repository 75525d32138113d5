/// What moves one try over the network. Everything above it is the same for all of them; `TransportConformance` in
/// ErrandTesting is the suite that a new one must pass.
public protocol Transport: Sendable {
  /// Performs one try and returns when the last byte of the answer is in the sink.
  ///
  /// A transport
  /// - sends `exchange.request` as it is and follows no redirect: a 3xx is an answer like any other;
  /// - calls `exchange.sink(for:)` once, with the final head (no 1xx), and writes the body, decompressed, into the
  ///   sink that it gets, as fast as the sink takes it;
  /// - tells `exchange` of bytes that went out;
  /// - fails with `RequestError(.timedOut)` when nothing moved for `exchange.request.timeout`;
  /// - stops at once when `exchange.onCancel` calls: closes the socket or resets the stream, and throws.
  ///
  /// - Throws: `RequestError`, and says with `reachedServer` whether the server may have seen the request.
  func perform(_ exchange: Exchange) async throws -> TransferResult

  /// Closes idle connections and frees what the transport holds. Nothing is performed after it.
  func shutdown() async
}

/// How a try that was answered went.
public struct TransferResult: Sendable {
  public let head: ResponseHead
  public let metrics: TransferMetrics

  public init(head: ResponseHead, metrics: TransferMetrics) {
    self.head = head
    self.metrics = metrics
  }
}

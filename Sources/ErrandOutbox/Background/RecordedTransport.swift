import ErrandCore

/// A transport that returns the response that a background session has received, so that the response passes
/// the client's stages like any other.
final class RecordedTransport: Transport {
  private let response: Locked<SessionResponse?>

  /// True once a stage has taken the response.
  var isTaken: Bool { response.withLock { $0 == nil } }

  init(_ response: SessionResponse) { self.response = Locked(response) }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    guard let response = response.withLock({ $0.take() }) else {
      // A stage wants to send the request again: with another credential, or to another address.
      throw exchange.error(
        .connectionLost, "the response to the request asks for another attempt", reachedServer: true)
    }
    let head = ResponseHead(status: response.status, fields: response.fields)
    let sink = try exchange.sink(for: head)
    if !response.body.isEmpty { _ = try sink.write(response.body) }
    return TransferResult(head: head, metrics: TransferMetrics())
  }

  func shutdown() async {}
}

import ErrandCore
import Foundation
import Synchronization

/// A transport that responds with the same small body once its gate is open.
final class GatedTransport: Transport {
  let gate = Gate()
  private let performed = Atomic(0)
  private let head = ResponseHead(
    status: 200, fields: ["Content-Type": "text/plain", "Content-Length": "100"])
  private let body = Data(repeating: UInt8(ascii: "e"), count: 100)

  /// The number of attempts so far.
  var count: Int { performed.load(ordering: .relaxed) }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    performed.add(1, ordering: .relaxed)
    try await gate.pass()
    _ = try exchange.sink(for: head).write(body)
    return TransferResult(head: head, metrics: TransferMetrics())
  }

  func shutdown() async {}
}

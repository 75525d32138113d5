import ErrandCore
import Foundation

/// A transport that responds at once with the same small body, so that only the client's time is measured.
struct InstantTransport: Transport {
  private let head = ResponseHead(
    status: 200, fields: ["Content-Type": "text/plain", "Content-Length": "100"])
  private let body = Data(repeating: UInt8(ascii: "e"), count: 100)

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    _ = try exchange.sink(for: head).write(body)
    return TransferResult(head: head, metrics: TransferMetrics())
  }

  func shutdown() async {}
}

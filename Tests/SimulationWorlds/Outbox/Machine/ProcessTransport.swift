import ErrandCore
import ErrandOutbox
import ErrandTesting

/// The network, as a process has it: what is on the wire goes on while it stands still, and without it.
struct ProcessTransport: Transport {
  let network: SimulatedNetwork
  let process: SimulatedProcess
  let ledger: OutboxLedger

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    if let ask = exchange.request.fields[Ask.idField].flatMap({ Int($0) }), !process.isGone {
      ledger.send(OutboxID(rawValue: "ask-\(ask)"), by: process.name)
    }
    try await process.run()
    let result: Result<TransferResult, any Error>
    do { result = .success(try await network.perform(exchange)) } catch { result = .failure(error) }
    try await process.run()
    return try result.get()
  }

  /// The network is there for others.
  func shutdown() async {}
}

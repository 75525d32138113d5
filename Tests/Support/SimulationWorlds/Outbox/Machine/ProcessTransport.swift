import ErrandCore
import ErrandOutbox
import ErrandTesting

/// The network of a process: requests in flight continue while the process is frozen, and after its end.
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

  /// Does nothing, because other processes use the network.
  func shutdown() async {}
}

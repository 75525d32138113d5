import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Counts the concurrent requests to each host.
final class HostCounter: Transport {
  private let base: any Transport
  private let state = Locked<(now: [String: Int], most: [String: Int])>(([:], [:]))

  init(_ base: any Transport) { self.base = base }

  /// The highest number of concurrent requests to any one host.
  var most: Int { state.withLock { $0.most.values.max() ?? 0 } }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    let host = exchange.request.url.host() ?? ""
    state.withLock { state in
      state.now[host, default: 0] += 1
      state.most[host] = max(state.most[host] ?? 0, state.now[host] ?? 0)
    }
    defer { state.withLock { $0.now[host, default: 0] -= 1 } }
    return try await base.perform(exchange)
  }

  func shutdown() async { await base.shutdown() }
}

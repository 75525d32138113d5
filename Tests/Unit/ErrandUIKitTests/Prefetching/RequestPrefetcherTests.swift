import ErrandCore
import ErrandTesting
import ErrandUIKit
import Foundation
import Testing

#if canImport(UIKit)
  import UIKit
#endif

@MainActor @Suite struct RequestPrefetcherTests {
  private let gate = StubGate()

  private func client(_ stub: StubTransport) -> Client {
    var configuration = ClientConfiguration()
    configuration.limits = ConcurrencyLimits(total: 1, perOrigin: nil)
    return Client(transport: stub, configuration: configuration)
  }

  private func stub() -> StubTransport {
    StubTransport { [gate] request in
      if request.index == 0 { try await gate.pass() }
      return .response()
    }
  }

  @Test func `shown items are sent first, and items that are no longer expected last`() async throws {
    let stub = stub()
    let client = client(stub)
    let prefetcher = RequestPrefetcher(client) { (item: Int) in .get("https://example.com/\(item)") }
    prefetcher.prefetch([0])
    try await stub.waitForRequests(1)
    prefetcher.prefetch([1, 2, 3])
    prefetcher.cancelPrefetching([1])
    let calls = try [3, 1, 2].map { try #require(prefetcher.call(for: $0)) }
    prefetcher.endDisplaying(1)
    prefetcher.endDisplaying(2)
    prefetcher.prefetch([2])
    #expect(calls.map(\.priority) == [.userInitiated, .background, .utility])
    while client.slotRows.waiting.values.reduce(0, +) < 3 { await Task.yield() }
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stub.cancelled == 0)
    #expect(stub.requests.map { $0.url.path } == ["/0", "/3", "/2", "/1"])
  }

  @Test func `all requests end with the prefetcher`() async throws {
    let stub = stub()
    var prefetcher: RequestPrefetcher? = RequestPrefetcher(client(stub)) { (item: Int) in
      .get("https://example.com/\(item)")
    }
    let call = try #require(prefetcher?.call(for: 1))
    try await stub.waitForRequests(1)
    prefetcher = nil
    let error = await #expect(throws: RequestError.self) { try await call.value }
    #expect(error?.isCancellation == true)
  }

  #if canImport(UIKit)
    @Test func `a collection view and a table report the index paths that they will show`() async throws {
      let stub = stub()
      let prefetcher = RequestPrefetcher(client(stub)) { (item: Int) in .get("https://example.com/\(item)") }
      let source = IndexPathPrefetcher(prefetcher) { $0[0] }
      let (collection, table) = (UICollectionView(), UITableView())
      collection.prefetchDataSource = source
      table.prefetchDataSource = source
      collection.prefetchDataSource?.collectionView(collection, prefetchItemsAt: [[7]])
      try await stub.waitForRequests(1)
      table.prefetchDataSource?.tableView(table, prefetchRowsAt: [[8]])
      collection.prefetchDataSource?.collectionView(collection, cancelPrefetchingForItemsAt: [[7]])
      table.prefetchDataSource?.tableView(table, cancelPrefetchingForRowsAt: [[8]])
      gate.open()
      try await stub.waitForRequests(2)
      #expect(stub.requests.map { $0.url.path } == ["/7", "/8"])
    }
  #endif
}

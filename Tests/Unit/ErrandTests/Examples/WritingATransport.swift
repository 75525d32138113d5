// swift-format-ignore-file
import Errand
import ErrandConformance
import ErrandTesting
import Foundation
import Testing

struct FolderTransport: Transport {
  let folder: URL

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    let file = folder.appending(path: exchange.request.url.path())
    let data = exchange.request.method == .get ? try? Data(contentsOf: file) : nil
    let head = ResponseHead(
      status: data == nil ? 404 : 200, fields: ["Content-Length": "\(data?.count ?? 0)"])
    let sink = try exchange.sink(for: head)
    try await write(data ?? Data(), into: sink, for: exchange)
    return TransferResult(head: head, metrics: TransferMetrics())
  }

  func shutdown() async {}
}

extension FolderTransport {
  private func write(_ body: Data, into sink: any BodySink, for exchange: Exchange) async throws {
    let (drained, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    sink.onDrain { signal.yield() }
    let id = exchange.onCancel { signal.finish() }
    defer { exchange.removeCancelHandler(id) }
    var turns = drained.makeAsyncIterator()
    var rest = body[...]
    while !rest.isEmpty {
      if try sink.write(Data(rest.prefix(64 << 10))) == .wait, await turns.next() == nil {
        throw CancellationError()
      }
      rest = rest.dropFirst(64 << 10)
    }
  }
}

private struct Uploading {
  func uploaded(_ exchange: Exchange, send: (Data) async throws -> Void) async throws {
    switch exchange.request.upload {
    case .none: return
    case .bytes(let data):
      try await send(data)
      if exchange.wantsUploadProgress { exchange.didSend(total: Int64(data.count)) }
    case .reader(let reader):
      defer { reader.close() }
      // read(into:) fills a buffer, says that there is nothing yet, or that this was the end
      throw exchange.error(.unsupported, "this transport sends bytes only", reachedServer: false)
    }
  }

  typealias MyTransport = CurlTransport

  func conformance() async throws {
    for testCase in TransportConformance.cases {
      let outcome = try await TransportConformance { MyTransport() }.run(testCase)
      if case .skipped(let reason) = outcome { print("\(testCase) was skipped: \(reason)") }
    }
  }
}

@Suite struct WritingATransport {
  @Test func `the transport of the article responds with files`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "errand-article-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let data = Data(repeating: 7, count: 3 << 20)
    try data.write(to: folder.appending(path: "large"))
    let client = Client(transport: FolderTransport(folder: folder))

    #expect(try await client.send(.get("http://folder/large")).data == data)
    #expect(try await client.send(.get("http://folder/none").acceptingAnyStatus()).status == 404)
    var count = 0
    for try await chunk in try await client.stream(.get("http://folder/large")).chunks { count += chunk.count }
    #expect(count == data.count)
  }
}

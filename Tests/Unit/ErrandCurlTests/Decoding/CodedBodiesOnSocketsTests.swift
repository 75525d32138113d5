import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import TestSupport
import Testing

@Suite struct CodedBodiesOnSocketsTests {
  private let server: MockServer
  private let client: Client

  init() throws {
    server = try MockServer()
    var configuration = ClientConfiguration()
    configuration.retry = .attempts(1)
    client = Client(transport: CurlTransport(), configuration: configuration)
  }

  /// 200 MiB of zeros.
  private static let brotliBomb = Data(
    base64Encoded:
      "y///PwAkAOKxQHLv//j//weABEAcFoDu/R////8AkACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje//H//w8"
      + "ACYA4LADd+z/+//8BIAEQhwWge//H//8/ACQA4rAAdO//+P//B4AEQBwWgO79H////wCQAIjDAtC9/+P//x8AEgBxWAC693/8//8DQAIgDg"
      + "tA9/6P//9/AEgAxGEB6N7/8f//DwAJgDgsAN37P/7//wEgARCHBaB7/8f//z8AJADisAB07//4//8HgARAHBaA7v0f////AJAAiMMC0L3/4"
      + "///HwASAHFYALr3f/z//wNAAiAOC0D3/o///38ASADEYQHo3v/x//8PAAmAOCwA3fs//v//ASABEIcFoHv/l///fwAkAOKwAHTv/wA="
  )!

  private func serve(_ encoding: String, _ body: Data) {
    server.on("/") { _ in .response(fields: ["Content-Encoding": encoding], body: body) }
    server.on("/next") { _ in .response(body: "next") }
  }

  @Test func `a decompression bomb is decoded as far as it is read, and then completely`() async throws {
    serve("br", Self.brotliBomb)
    let received = Locked<Int64>(0)
    let response = try await client.stream(.get(server.url("/"))) { progress in
      received.withLock { $0 = max($0, progress.received) }
    }
    // The later requests have their responses, so the engine has finished its work.
    for _ in 0..<20 { _ = try await client.send(.get(server.url("/next"))) }
    #expect(received.withLock { $0 } <= 3 << 20)
    var count = 0
    for try await chunk in response.chunks {
      #expect(chunk.count <= 256 << 10)
      count += chunk.count
    }
    #expect(count == 200 << 20)
  }

  @Test func `a cancelled stream of a decompression bomb ends at once, even if the bomb has arrived`()
    async throws
  {
    serve("br", Self.brotliBomb)
    let response = try await client.stream(.get(server.url("/")))
    let task = Task {
      var count = 0
      for try await chunk in response.chunks {
        count += chunk.count
        if count > 1 << 20 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return count
    }
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try await client.send(.get(server.url("/next"))).text == "next")
    await client.shutdown()
  }

  @Test func `a decompression bomb is downloaded completely`() async throws {
    serve("br", Self.brotliBomb)
    let folder = try TemporaryFolder()
    let file = folder.url.appending(path: "file")
    try await client.download(.get(server.url("/")), to: file)
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    #expect(size == 200 << 20)
  }

  @Test func `a decompression bomb in memory fails at the memory limit`() async throws {
    serve("br", Self.brotliBomb)
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.get(server.url("/")).memoryLimit(1 << 20))
    }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test(arguments: ["br", "gzip"])
  func `a response without a body is not decoded`(encoding: String) async throws {
    server.on("HEAD", "/") { _ in .response(fields: ["Content-Encoding": encoding], body: "never sent") }
    server.on("GET", "/204") { _ in .response(status: 204, fields: ["Content-Encoding": encoding]) }
    server.on("GET", "/304") { _ in .response(status: 304, fields: ["Content-Encoding": encoding]) }
    server.on("GET", "/empty") { _ in .response(fields: ["Content-Encoding": encoding], body: "") }
    #expect(try await client.send(.head(server.url("/"))).data.isEmpty)
    for path in ["/204", "/304", "/empty"] {
      let response = try await client.send(.get(server.url(path)).acceptingAnyStatus())
      #expect(response.data.isEmpty)
      #expect(response.fields["Content-Encoding"] == encoding)
    }
  }

  @Test func `an unknown content coding is an error that names it`() async throws {
    serve("zip-of-tomorrow", Data("body".utf8))
    let error = await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/"))) }
    #expect(error?.code == .badEncoding)
    #expect(error?.description.contains("zip-of-tomorrow") == true)
  }

  @Test func `Accept-Encoding lists the supported codings, and a caller's own list is kept`() async throws {
    server.on("/") { _ in .response(body: "plain") }
    _ = try await client.send(.get(server.url("/")))
    _ = try await client.send(.get(server.url("/")).field("Accept-Encoding", "br;q=0.5"))
    _ = try await client.send(.get(server.url("/")).field("Range", "bytes=0-2"))
    #expect(
      server.requests.map { $0.fields["Accept-Encoding"] } == [
        "gzip, deflate, br, zstd", "br;q=0.5", "identity",
      ])
  }
}

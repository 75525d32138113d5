import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bodies of streams and downloads in the HTTP cache.
@Suite struct HTTPCachedBodiesTests {
  private static let url = "http://a.test/file"
  private let folder: TemporaryFolder
  /// Larger than the part of a file that is read at once.
  private let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

  init() throws { folder = try TemporaryFolder() }

  private var cacheFolder: URL { folder.url.appending(path: "cache") }

  private func stage(
    _ store: (any ResponseCache)? = nil, _ handler: @escaping StubTransport.Handler
  ) -> Stage {
    Stage.configured { [cacheFolder] in $0.cache = .http(store ?? DiskResponseCache(folder: cacheFolder)) }
      .responding(handler)
  }

  private func served(_ fields: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]) -> StubStep {
    let chunks = stride(from: 0, to: body.count, by: 100_000).map { body[$0..<min($0 + 100_000, body.count)] }
    return .response(fields: fields, chunks: chunks)
  }

  private func read(_ stage: Stage, _ request: Request = .get(url)) async throws -> (Data, CacheStatus?) {
    let response = try await stage.client.stream(request.bestEffort())
    var data = Data()
    for try await chunk in response.chunks { data.append(chunk) }
    return (data, response.cacheStatus)
  }

  @Test func `a streamed body is stored while it is read, and streamed from its file`() async throws {
    for store in [DiskResponseCache(folder: cacheFolder) as any ResponseCache, MemoryResponseCache()] {
      let stage = stage(store) { [self] _ in served() }
      #expect(try await read(stage).0 == body)
      let (data, status) = try await read(stage)
      #expect(data == body && status?.isHit == true)
      #expect(try await stage.client.send(.get(Self.url)).data == body)
      #expect(
        try await read(stage, .get(Self.url).field("Range", "bytes=10-1999999")).0 == body[10..<2_000_000])
      #expect(stage.stub.requests.count == 1)
      await stage.expectNothingLeft()
    }
  }

  @Test func `a stream that its reader drops, or that breaks off, is not stored`() async throws {
    let stage = stage { [self] request in
      request.index == 0
        ? served()
        : .response(
          fields: ["Cache-Control": "max-age=60", "Content-Length": "\(body.count)"], body: "short")
    }
    do {
      let response = try await stage.client.stream(.get(Self.url))
      for try await _ in response.chunks { break }
    }
    await stage.expectNothingLeft()
    await #expect(throws: RequestError.self) { try await read(stage) }
    await stage.expectNothingLeft()
    #expect(try await stage.client.pipeline.configuration.cache.list().isEmpty)
    let files = try FileManager.default.contentsOfDirectory(atPath: cacheFolder.path)
    #expect(files.allSatisfy { !$0.contains("part") }, "\(files)")
  }

  @Test func `a stream that its reader drops is stored to its end, if the client wants it`() async throws {
    let stage = Stage.configured { [cacheFolder] in
      $0.cache = .http(DiskResponseCache(folder: cacheFolder), finishesAbandonedStreams: true)
    }.responding { [self] _ in served() }
    do {
      let response = try await stage.client.stream(.get(Self.url))
      for try await _ in response.chunks { break }
    }
    await stage.expectNothingLeft()
    let (data, status) = try await read(stage)
    #expect(data == body && status?.isHit == true && stage.stub.requests.count == 1)
    // A scope that ends still ends the transfer.
    let scope = RequestScope("page")
    do {
      let response = try await stage.client.stream(.get("http://a.test/other"), in: scope)
      for try await _ in response.chunks { break }
      scope.end()
    }
    await stage.expectNothingLeft()
    #expect(try await read(stage, .get("http://a.test/other")).1?.isHit == false)
  }

  @Test func `a stream with a reader that waits takes no more memory, and is stored at its end`() async throws
  {
    let stage = stage { [self] _ in served() }
    let response = try await stage.client.stream(.get(Self.url))
    var count = 0
    for try await chunk in response.chunks {
      for _ in 0..<50 { await Task.yield() }
      count += chunk.count
    }
    #expect(count == body.count)
    #expect(try await read(stage).1?.isHit == true)
  }

  @Test func `a download is stored, and comes from the cache`() async throws {
    let stage = stage { [self] _ in served() }
    let (one, two) = (folder.url.appending(path: "one"), folder.url.appending(path: "two"))
    let first = try await stage.client.download(.get(Self.url), to: one)
    #expect(first.cacheStatus?.isStored == true)
    let second = try await stage.client.download(.get(Self.url), to: two)
    #expect(second.cacheStatus?.isHit == true && second.file == two)
    #expect(try Data(contentsOf: one) == body && Data(contentsOf: two) == body)
    #expect(try await read(stage).0 == body)
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `a body that is too large for memory comes from the cache to a stream and a file`() async throws
  {
    let stage = Stage.configured { [cacheFolder] in
      $0.cache = .http(DiskResponseCache(folder: cacheFolder))
      $0.memoryLimit = 1000
    }.responding { [self] _ in served() }
    #expect(try await read(stage).0 == body)
    #expect(try await read(stage).1?.isHit == true)
    let file = folder.url.appending(path: "one")
    #expect(try await stage.client.download(.get(Self.url), to: file).cacheStatus?.isHit == true)
    await #expect(throws: RequestError.self) { try await stage.client.send(.get(Self.url)) }
  }

  @Test func `a stale stream and a stale download are renewed beside their callers`() async throws {
    let stage = stage { request in
      .response(
        fields: ["Cache-Control": "max-age=1, stale-while-revalidate=100", "ETag": "\"\(request.index)\""],
        body: "\(request.index)")
    }
    let file = folder.url.appending(path: "one")
    _ = try await read(stage)
    for (number, isFile) in [false, true].enumerated() {
      await stage.clock.advance(by: .seconds(2))
      let text: String
      if isFile {
        try await stage.client.download(.get(Self.url), to: file)
        text = try String(contentsOf: file, encoding: .utf8)
      } else {
        text = String(decoding: try await read(stage).0, as: UTF8.self)
      }
      #expect(text == "\(number)")
      await stage.expectNothingLeft()
    }
    #expect(String(decoding: try await read(stage).0, as: UTF8.self) == "2")
  }

  @Test func `a validated download comes from the cache`() async throws {
    let stage = stage { [self] request in
      request.fields.contains("If-None-Match") ? .response(status: 304) : served(["ETag": "\"1\""])
    }
    let file = folder.url.appending(path: "one")
    try await stage.client.download(.get(Self.url), to: file)
    try FileManager.default.removeItem(at: file)
    let response = try await stage.client.download(.get(Self.url), to: file)
    #expect(response.status == 200 && response.cacheStatus?.forwardStatus == 304)
    #expect(try Data(contentsOf: file) == body)
  }

  @Test func `a 304 renews a large response without writing its body again`() async throws {
    let stage = stage { [self] request in
      request.fields.contains("If-None-Match")
        ? .response(
          status: 304, fields: ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Number": "\(request.index)"])
        : served()
    }
    func file() throws -> (path: URL, size: Int, number: Int) {
      let names = try FileManager.default.contentsOfDirectory(atPath: cacheFolder.path)
      let name = try #require(names.first { CacheFileName.isResponse($0) })
      var info = stat()
      try #require(stat(cacheFolder.appending(path: name).path, &info) == 0)
      return (cacheFolder.appending(path: name), Int(info.st_size), Int(info.st_ino))
    }
    func renew() async throws {
      await stage.clock.advance(by: .seconds(61))
      let (data, status) = try await read(stage)
      #expect(data == body && status?.forwardStatus == 304 && status?.isStored == true)
    }
    #expect(try await read(stage).0 == body)
    let first = try file()
    try await renew()
    let renewed = try file()
    #expect(renewed.number == first.number && first.size + 1..<first.size + 1000 ~= renewed.size)
    // Another process reads the newer head.
    let other = DiskResponseCache(folder: cacheFolder)
    let key = try #require(try await other.list().first?.key)
    #expect(try await other.read(key)?.fields["Number"] == "1")
    #expect(try await read(stage).1?.isHit == true)

    // A renewal that was cut short counts as missing, and then the file is written again.
    #expect(truncate(renewed.path.path, off_t(renewed.size - 1)) == 0)
    #expect(try await other.read(key)?.fields["Number"] == nil)
    try await renew()
    #expect(try file().number != renewed.number && file().size < first.size + 100)
    #expect(try await other.read(key)?.fields["Number"] == "2")

    // The renewals have a limit, too.
    for _ in 0..<400 { try await renew() }
    #expect(try file().size < first.size + 70_000)
    #expect(try await other.read(key)?.fields["Number"] == "402")
    #expect(try FileManager.default.contentsOfDirectory(atPath: cacheFolder.path).count == 1)
  }

  @Test func `a damaged file costs its response, and nothing else`() async throws {
    let stage = stage { [self] _ in served() }
    _ = try await read(stage)
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: cacheFolder.path).first { $0.contains(".response") })
    let path = cacheFolder.appending(path: name)
    for position in [40, 2_000_000] {
      var bytes = try Data(contentsOf: path)
      bytes[position] ^= 1
      try bytes.write(to: path)
      let (data, status) = try await read(stage)
      #expect(data == body && status?.forward == .uriMiss)
    }
  }

  @Test func `a response that is too large for the store is delivered and not stored`() async throws {
    let stage = stage(DiskResponseCache(folder: cacheFolder, limit: 1 << 20)) { [self] _ in served() }
    #expect(try await read(stage).0 == body)
    #expect(try await read(stage).1?.isHit == false)
    #expect(try await stage.client.pipeline.configuration.cache.list().isEmpty)
  }

  @Test func `a folder that cannot be written does not disturb a stream`() async throws {
    try Data("x".utf8).write(to: cacheFolder)
    let stage = stage { [self] _ in served() }
    #expect(try await read(stage).0 == body)
    #expect(try await read(stage).0 == body)
  }

  // MARK: Conditional downloads

  @Test func `a download only if changed leaves the file as it is`() async throws {
    let stage = Stage { [self] request in
      request.fields["If-None-Match"] == "\"1\"" ? .response(status: 304) : served(["ETag": "\"1\""])
    }
    let file = folder.url.appending(path: "file")
    func download(_ url: String = Self.url) async throws -> Response {
      try await stage.client.download(.get(url).expecting(contentType: "*/*"), to: file, ifChanged: true)
    }
    #expect(try await !download().isUnchanged)
    let before = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
    let response = try await download()
    #expect(response.isUnchanged && response.file == file)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date == before)
    #expect(try Data(contentsOf: file) == body)
    // Changed by hand, from another URL, removed: each is downloaded again.
    try Data("mine".utf8).write(to: file)
    #expect(try await !download().isUnchanged)
    #expect(try await !download("http://a.test/other").isUnchanged)
    #expect(try await download("http://a.test/other").isUnchanged)
    try FileManager.default.removeItem(at: file)
    #expect(try await !download("http://a.test/other").isUnchanged)
    // Another user's file is not this one's.
    let ann = Request.get(Self.url).bearer("ann")
    #expect(try await !stage.client.download(ann, to: file, ifChanged: true).isUnchanged)
    #expect(try await stage.client.download(ann, to: file, ifChanged: true).isUnchanged)
    #expect(
      try await !stage.client.download(.get(Self.url).bearer("bob"), to: file, ifChanged: true).isUnchanged)
    // Without the argument, a 304 is rejected as before.
    #expect(try await !stage.client.download(.get(Self.url), to: file).isUnchanged)
  }
}

import ErrandCore
import ErrandCrypto
import ErrandTesting
import Foundation
import Synchronization
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning
@testable import ErrandStructuredFields

/// Encrypted requests and responses, on sockets.
@Suite struct EncryptedBodyTests {
  private let wire: Wire
  private let folder: TemporaryFolder
  private let key: ContentKey
  private let data = Data.seeded(300_000)

  init() throws {
    wire = try Wire()
    folder = try TemporaryFolder()
    key = try .random(id: "k1")
  }

  private func decrypted(_ body: Data) throws -> Data {
    var decoder = AES128GCMDecoder()
    var content = try decoder.update(body)
    content += try decoder.use(key)
    return content + (try decoder.finish())
  }

  private func encrypted(_ content: Data, recordSize: Int = 4096) throws -> Data {
    var encoder = try AES128GCMEncoder(key: key, recordSize: recordSize)
    return try encoder.update(content) + encoder.finish()
  }

  private func respond(_ body: Data, codings: String? = "aes128gcm") {
    var fields: HTTPFields = ["Content-Type": "text/plain"]
    fields["Content-Encoding"] = codings
    let response = MockResponse.response(fields: fields, body: body)
    wire.server.otherwise { _ in response }
  }

  private var get: Request { .get(wire.server.url("/")).bestEffort() }

  /// Sends a request in each of the three ways. Returns the codes of the errors, nil for each success, whose
  /// body is `content`.
  private func outcomes(_ request: Request, _ content: Data) async throws -> [RequestError.Code?] {
    var codes: [RequestError.Code?] = []
    func code(_ work: () async throws -> Void) async throws {
      do {
        try await work()
        codes.append(nil)
      } catch let error as RequestError { codes.append(error.code) }
    }
    try await code {
      let received = try await wire.client.send(request).data
      #expect(received == content)
    }
    try await code {
      try await wire.client.download(request, to: folder.file("download"))
      #expect(try Data(contentsOf: folder.file("download")) == content)
      try FileManager.default.removeItem(at: folder.file("download"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    try await code {
      var all = Data()
      do {
        for try await chunk in try await wire.client.stream(request).chunks { all += chunk }
      } catch {
        // The bytes before the error are only the beginning of the content.
        #expect(content.starts(with: all) && (all.count < content.count || content.isEmpty))
        throw error
      }
      #expect(all == content)
    }
    return codes
  }

  // MARK: Requests

  @Test func `each kind of body is sent encrypted, even if it was compressed before`() async throws {
    wire.server.otherwise { _ in .response() }
    try folder.write(data, to: "file")
    let file = folder.file("file")
    let form = MultipartForm(boundary: "B").field("a", "b").file("f", at: file)
    let stream = RequestBody.stream(
      AsyncStream<Data> { chunks in
        chunks.yield(Data("abc".utf8))
        chunks.finish()
      })
    for (body, content) in [
      (RequestBody.bytes(data), data), (.file(file), data), (.json([1]), Data("[1]".utf8)),
      (.bytes(Data()), Data()),
      (.multipart(form), try await RequestBody.multipart(form).bytes(limit: 1 << 20)),
      (stream, Data("abc".utf8)),
    ] {
      let request = Request.post(wire.server.url("/"), body)
      try await wire.client.send(request.encrypted(with: key))
      let sent = try #require(wire.server.requests.last)
      #expect(sent.fields["Content-Encoding"] == "aes128gcm")
      #expect(try decrypted(sent.body) == content)
      if body != stream { #expect(sent.fields["Content-Length"] == "\(sent.body.count)") }
      guard body.isReplayable else { continue }
      try await wire.client.send(request.encrypted(with: key).compressed())
      let both = try #require(wire.server.requests.last)
      #expect(both.fields["Content-Encoding"] == "gzip, aes128gcm")
      #expect(try WholeGzip.expanded(decrypted(both.body)) == content)
    }
  }

  @Test func `an existing content coding is kept before that of the encryption`() async throws {
    wire.server.otherwise { _ in .response() }
    try await wire.client.send(
      .post(wire.server.url("/"), .text("x")).field("Content-Encoding", "br").encrypted(with: key))
    #expect(wire.server.requests[0].fields["Content-Encoding"] == "br, aes128gcm")
  }

  @Test func `a request without a body is not encrypted`() async throws {
    wire.server.otherwise { _ in .response() }
    try await wire.client.send(get.encrypted(with: key))
    #expect(wire.server.requests[0].fields["Content-Encoding"] == nil)
  }

  @Test func `the length of an encrypted body is known, unless padding hides it`() throws {
    for recordSize in [18, 25, 4096] {
      let coding = EncryptedBodyCoding(key: key, recordSize: recordSize, padding: .none)
      for length in [0, 1, 2, 7, 8, 9, 16, 4078, 4079, 4080, 9000] {
        let body = EncryptedBody(coding: coding, salt: .random(16))
        let encoder = try body.makeEncoder()
        let coded = try encoder.update(Data(count: length)) + encoder.finish()
        #expect(body.codedLength(of: Int64(length)) == Int64(coded.count))
      }
      #expect(EncryptedBody(coding: coding, salt: Data()).codedLength(of: .max) == nil)
    }
    let padded = EncryptedBodyCoding(key: key, recordSize: 4096, padding: .toMultiple(of: 100))
    #expect(EncryptedBody(coding: padded, salt: Data()).codedLength(of: 9) == nil)
  }

  @Test func `each attempt has a fresh salt, and its digest covers the bytes that are sent`() async throws {
    wire.server.script("/", [.response(status: 503), .response(status: 503), .response()])
    try await wire.client.send(
      Request.put(wire.server.url("/"), .bytes(data)).encrypted(with: key).withContentDigest())
    let requests = wire.server.requests
    #expect(Set(requests.map { $0.body.prefix(16) }).count == 3)
    for request in requests {
      try ContentDigest(parsing: request.fields["Content-Digest"] ?? "").verify(request.body)
      #expect(try decrypted(request.body) == data)
    }
  }

  @Test func `an invalid record size is refused before anything is sent`() async throws {
    for recordSize in [-1, 0, 17, 1 << 31] {
      let error = await #expect(throws: RequestError.self) {
        try await wire.client.send(
          .post(wire.server.url("/"), .text("a")).encrypted(with: key, recordSize: recordSize))
      }
      #expect(error?.code == .invalidRequest)
    }
    #expect(wire.server.requests.isEmpty)
  }

  // MARK: Responses

  @Test func `an encrypted response is decrypted, and decompressed if it was compressed before`() async throws
  {
    for content in [data, Data(), Data("é".utf8)] {
      respond(try encrypted(content))
      #expect(try await outcomes(get.decrypting(with: key), content) == [nil, nil, nil])
      respond(try encrypted(WholeGzip.compressed(content)), codings: "gzip, aes128gcm")
      #expect(try await outcomes(get.decrypting(with: key), content) == [nil, nil, nil])
      respond(try WholeGzip.compressed(encrypted(content)), codings: "AES128GCM, x-gzip")
      #expect(try await outcomes(get.decrypting(with: key), content) == [nil, nil, nil])
    }
    #expect(wire.server.requests[0].fields["Accept-Encoding"] == "aes128gcm")
  }

  @Test func `checks of a response see it decrypted, and its digest covers the received bytes`() async throws
  {
    let body = try encrypted(Data(#"{"a":1}"#.utf8))
    let fields: HTTPFields = [
      "Content-Encoding": "aes128gcm", "Content-Digest": try ContentDigest(of: body).serialized() ?? "",
    ]
    wire.server.otherwise { _ in .response(fields: fields, body: body) }
    for request in [
      get.decrypting(with: key).verifyingDigest(), get.verifyingDigest().decrypting(with: key),
    ] {
      let response = try await wire.client.send(
        request.validate { #expect($0.text == #"{"a":1}"#) })
      #expect(try response.decode([String: Int].self) == ["a": 1])
    }
    #expect(wire.server.requests.map { $0.fields["Accept-Encoding"] } == ["aes128gcm", "aes128gcm"])
  }

  @Test func `a truncated, changed or reordered response is an error, never a shorter body`()
    async throws
  {
    let whole = try encrypted(Data.seeded(1000), recordSize: 117)
    let header = whole.prefix(21 + 2)
    let records = stride(from: header.count, to: whole.count, by: 117).map {
      whole[$0..<min($0 + 117, whole.count)]
    }
    var damaged: [Data] = [0, 10, header.count, header.count + 5].map { Data(whole.prefix($0)) }
    // Truncated between records, and within the last one.
    damaged += (1..<records.count).map { Data(header + records[..<$0].joined()) } + [Data(whole.dropLast())]
    damaged.append(Data(header + records.reversed().joined()))
    damaged.append(Data(header + [records[1], records[0]].joined() + records[2...].joined()))
    damaged.append(Data(whole + records[0]))
    for index in stride(from: 0, to: whole.count, by: 97) {
      var flipped = whole
      flipped[index] ^= 0x40
      damaged.append(flipped)
    }
    for body in damaged {
      respond(body)
      let codes = try await outcomes(get.decrypting(with: key), Data.seeded(1000))
      #expect(codes == [.decryptionFailed, .decryptionFailed, .decryptionFailed], "\(body.count) bytes")
    }
  }

  @Test func `an unencrypted response is refused, unless that is allowed`() async throws {
    for codings in [nil, "gzip", "identity"] {
      respond(codings == "gzip" ? try WholeGzip.compressed(data) : data, codings: codings)
      #expect(
        try await outcomes(get.decrypting(with: key), data)
          == [.decryptionFailed, .decryptionFailed, .decryptionFailed])
      #expect(
        try await outcomes(get.decrypting(with: key, isRequired: false), data) == [nil, nil, nil])
    }
  }

  @Test func `unrequested codings, too many codings, and codings of a part are refused`() async throws {
    let body = try encrypted(data)
    for codings in ["br, aes128gcm", "gzip, gzip, gzip, aes128gcm", "aes128gcm, zstd"] {
      respond(body, codings: codings)
      let error = await #expect(throws: RequestError.self) {
        try await wire.client.send(get.decrypting(with: key))
      }
      #expect(error?.code == .badEncoding)
    }
    wire.server.otherwise { _ in
      .response(
        status: 206, fields: ["Content-Encoding": "aes128gcm", "Content-Range": "bytes 0-9/20"],
        body: body.prefix(10))
    }
    let error = await #expect(throws: RequestError.self) {
      try await wire.client.send(get.field("Range", "bytes=0-9").decrypting(with: key))
    }
    #expect(error?.code == .badEncoding)
  }

  @Test(arguments: [false, true])
  func `a response that was decrypted with one key is not given to a request with another`(isCached: Bool)
    async throws
  {
    respond(try encrypted(data))
    func request(_ keys: any ContentKeyProvider) -> Request {
      let request = get.decrypting(with: keys)
      return isCached ? request.cached(as: "a") : request.shared(within: .seconds(99))
    }
    // A key with the same name.
    let other = try ContentKey.random(id: "k1")
    #expect(try await wire.client.send(request(ContentKeys([key]))).data == data)
    let error = await #expect(throws: RequestError.self) {
      try await wire.client.send(request(ContentKeys([other])))
    }
    #expect(error?.code == .decryptionFailed)
    #expect(try await wire.client.send(request(ContentKeys([key]))).data == data)
    #expect(wire.server.requests.count == 2)
    // Keys without a name.
    for _ in 0..<2 { _ = try await wire.client.send(request(SlowKeys(key))) }
    #expect(wire.server.requests.count == 4)
    let codings = [key, other].map { EncryptedBodyCoding(key: $0, recordSize: 4096, padding: .none) }
    #expect(codings[0].identity != codings[1].identity)
  }

  @Test func `a decoder waits for a key, and the error for a missing key shows no key`() async throws {
    struct Broken: ContentKeyProvider {
      struct Failure: Error { let secret = "hidden" }
      func contentKey(for id: Data) throws -> ContentKey { throw Failure() }
    }
    respond(try encrypted(data))
    let slow = SlowKeys(key)
    #expect(try await outcomes(get.decrypting(with: slow), data) == [nil, nil, nil])
    #expect(slow.asked == [Data("k1".utf8), Data("k1".utf8), Data("k1".utf8)])
    for keys: any ContentKeyProvider in [Broken(), ContentKeys([])] {
      let error = await #expect(throws: RequestError.self) {
        try await wire.client.send(get.decrypting(with: keys))
      }
      #expect(error?.code == .decryptionFailed)
      #expect(error?.description.contains("hidden") == false)
    }
    let other = try ContentKey.random(id: "k1")
    #expect(
      try await outcomes(get.decrypting(with: other), data)
        == [.decryptionFailed, .decryptionFailed, .decryptionFailed])
  }

  @Test func `a cancelled call does not wait for a key`() async throws {
    respond(try encrypted(data))
    let keys = NoKeys()
    let call = wire.client.start(get.decrypting(with: keys))
    await keys.reached()
    call.cancel()
    guard case .failure(let error) = await call.result else {
      Issue.record("it got a response")
      return
    }
    #expect(error.isCancellation)
  }

  @Test func `a small response that expands to a large one is stopped at the memory limit`() async throws {
    respond(try encrypted(WholeGzip.compressed(Data(count: 50 << 20))), codings: "gzip, aes128gcm")
    let error = await #expect(throws: RequestError.self) {
      try await wire.client.send(get.decrypting(with: key).memoryLimit(1 << 20))
    }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test(.computesLong) func `a large response passes a slow consumer and a disk completely`() async throws {
    let large = Data.seeded(6 << 20)
    respond(try encrypted(WholeGzip.compressed(large)), codings: "gzip, aes128gcm")
    #expect(try await outcomes(get.decrypting(with: key), large) == [nil, nil, nil])
    var all = Data()
    for try await chunk in try await wire.client.stream(get.decrypting(with: key)).chunks {
      all += chunk
      // A reader that is slower than the server, on purpose.
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(all == large)
  }

  @Test(arguments: [204, 205, 304], [false, true])
  func `a filtered download does not change its target when the response has no content`(
    status: Int, isEncrypted: Bool
  ) async throws {
    try folder.write("old", to: "download")
    wire.server.otherwise { _ in .response(status: status, fields: ["ETag": "\"1\""]) }
    let request = get.field("If-None-Match", "\"1\"").accepting(200..<305)
    let response = try await wire.client.download(
      isEncrypted ? request.decrypting(with: key) : request.verifyingDigest(), to: folder.file("download"))
    #expect(response.status.code == status)
    #expect(response.file == nil)
    #expect(try Data(contentsOf: folder.file("download")) == Data("old".utf8))
  }
}

/// Keys that are looked up slowly.
private final class SlowKeys: ContentKeyProvider {
  private let key: ContentKey
  private let ids = Mutex<[Data]>([])

  init(_ key: ContentKey) { self.key = key }

  var asked: [Data] { ids.withLock { $0 } }

  func contentKey(for id: Data) async throws -> ContentKey {
    ids.withLock { $0.append(id) }
    for _ in 0..<100 { await Task.yield() }
    return key
  }
}

/// Keys whose lookup never returns.
private final class NoKeys: ContentKeyProvider {
  private let isAsked = Mutex(false)

  func contentKey(for id: Data) async throws -> ContentKey {
    isAsked.withLock { $0 = true }
    try await StubGate().pass()
    return try .random()
  }

  func reached() async { while !isAsked.withLock({ $0 }) { await Task.yield() } }
}

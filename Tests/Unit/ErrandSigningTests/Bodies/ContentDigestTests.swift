import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandSigning
@testable import ErrandStructuredFields

/// Digests of requests and responses, on sockets.
@Suite struct ContentDigestTests {
  private let wire: Wire
  private let folder: TemporaryFolder
  private let data = Data.seeded(700_000)

  init() throws {
    wire = try Wire()
    folder = try TemporaryFolder()
  }

  private func fields(
    content: Data? = nil, representation: Data? = nil, using algorithms: [DigestAlgorithm] = [.sha256],
    more: HTTPFields = [:]
  ) throws -> HTTPFields {
    var fields = more
    if let content {
      fields[ContentDigest.fieldName] = try ContentDigest(of: content, using: algorithms).serialized()
    }
    if let representation {
      fields[ReprDigest.fieldName] = try ReprDigest(of: representation, using: algorithms).serialized()
    }
    return fields
  }

  private func respond(_ fields: HTTPFields, _ body: Data? = nil) {
    let body = body ?? data
    wire.server.otherwise { _ in .response(fields: fields, body: body) }
  }

  private var get: Request { .get(wire.server.url("/")).bestEffort() }

  /// Sends a request in each of the three ways. Returns the codes of the errors, nil for each success.
  private func outcomes(_ request: Request) async throws -> [RequestError.Code?] {
    var codes: [RequestError.Code?] = []
    func code(_ work: () async throws -> Void) async throws {
      do {
        try await work()
        codes.append(nil)
      } catch let error as RequestError { codes.append(error.code) }
    }
    try await code {
      let received = try await wire.client.send(request).data
      #expect(received == data)
    }
    let file = folder.file("download")
    try folder.write("before", to: "download")
    try await code { try await wire.client.download(request, to: file) }
    #expect(try Data(contentsOf: file) == (codes.last == .some(nil) ? data : Data("before".utf8)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["download"])
    try await code {
      var all = Data()
      do {
        for try await chunk in try await wire.client.stream(request).chunks { all += chunk }
      } catch {
        #expect(!all.isEmpty || (error as? RequestError)?.message.contains("no digest") == true)
        throw error
      }
      #expect(all == data)
    }
    return codes
  }

  // MARK: Requests

  @Test func `the digest of a request covers the bytes that are sent`() async throws {
    wire.server.otherwise { _ in .response() }
    try folder.write(data, to: "file")
    let key = try ContentKey.random(id: "k")
    let post = Request.post(wire.server.url("/"), .file(folder.file("file")))
    for request in [
      post.withContentDigest(), post.withContentDigest(.sha512, .sha256),
      post.compressed().withContentDigest(),
      post.withContentDigest().encrypted(with: key).compressed(),
      post.body(.bytes(data)).encrypted(with: key).withContentDigest(),
      post.body(.json([1])).withContentDigest(),
    ] { try await wire.client.send(request) }
    for request in wire.server.requests {
      let value = try #require(request.fields["Content-Digest"])
      try ContentDigest(parsing: value).verify(request.body)
    }
    #expect(wire.server.requests[1].fields["Content-Digest"]?.hasPrefix("sha-512=:") == true)
    #expect(wire.server.requests[3].fields["Content-Encoding"] == "gzip, aes128gcm")
  }

  @Test func `a request without a body has no digest, and a stream is refused`() async throws {
    wire.server.otherwise { _ in .response() }
    try await wire.client.send(get.withContentDigest())
    #expect(wire.server.requests[0].fields["Content-Digest"] == nil)
    let stream = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    let error = await #expect(throws: RequestError.self) {
      try await wire.client.send(.post(wire.server.url("/"), stream).withContentDigest())
    }
    #expect(error?.code == .bodyNotReplayable)
  }

  @Test func `a digest is sent with every redirect, and is computed before the signature`() async throws {
    struct Signer: RequestSigner {
      func sign(_ request: inout OutgoingRequest) {
        request.fields.set("X-Signed", request.fields["Content-Digest"] ?? "none")
      }
    }
    let other = try MockServer()
    other.otherwise { _ in .response() }
    let url = other.url("/").absoluteString
    wire.server.otherwise { _ in .redirect(307, to: url) }
    try await wire.client.send(
      .post(wire.server.url("/"), .text("a")).signed(by: Signer()).withContentDigest())
    let (first, second) = (wire.server.requests[0].fields, other.requests[0].fields)
    #expect(first["X-Signed"] == first["Content-Digest"] && first["X-Signed"] != nil)
    #expect(second["Content-Digest"] == first["Content-Digest"])
    #expect(second["X-Signed"] == nil)
  }

  // MARK: Responses

  @Test func `a response with the right digest is accepted`() async throws {
    for fields in [
      try fields(content: data), try fields(content: data, using: [.sha512]),
      try fields(representation: data),
      try fields(content: data, representation: data, using: [.sha256, .sha512]),
    ] {
      respond(fields)
      #expect(try await outcomes(get.verifyingDigest()) == [nil, nil, nil])
    }
    let asked = wire.server.requests[0].fields
    #expect(asked["Want-Content-Digest"] == "sha-256=10, sha-512=5")
    #expect(asked["Want-Repr-Digest"] == "sha-256=10, sha-512=5")
    #expect(asked["Accept-Encoding"] == "identity")
  }

  @Test func `a response that contradicts one of its digests is refused`() async throws {
    var other = data
    other[699_999] ^= 1
    var mixed = ContentDigest(of: data, using: [.sha256])
    mixed[.sha512] = DigestAlgorithm.sha512.digest(of: other)
    for fields in [
      try fields(content: other), try fields(representation: other),
      try fields(content: data, representation: other),
      try fields(content: other, representation: data),
      ["Content-Digest": try mixed.serialized() ?? ""],
    ] {
      respond(fields)
      #expect(
        try await outcomes(get.verifyingDigest()) == [.integrityFailed, .integrityFailed, .integrityFailed])
      #expect(
        try await outcomes(get.verifyingDigest(isRequired: false))
          == [.integrityFailed, .integrityFailed, .integrityFailed])
    }
  }

  @Test func `a response without a known digest fails if one is required`() async throws {
    for fields: HTTPFields in [[:], ["Content-Digest": "md5=:AAAA:"], ["Repr-Digest": "sha=:AAAA:"]] {
      respond(fields)
      #expect(
        try await outcomes(get.verifyingDigest()) == [.integrityFailed, .integrityFailed, .integrityFailed])
      #expect(try await outcomes(get.verifyingDigest(isRequired: false)) == [nil, nil, nil])
    }
    respond(["Content-Digest": "sha-256=1"])
    let malformed = await #expect(throws: RequestError.self) {
      try await wire.client.send(get.verifyingDigest(isRequired: false))
    }
    #expect(malformed?.code == .integrityFailed)
  }

  @Test func `a response without content has nothing to verify`() async throws {
    wire.server.otherwise { .response(status: $0.path == "/204" ? 204 : 200) }
    try await wire.client.send(Request.head(wire.server.url("/")).verifyingDigest())
    try await wire.client.send(Request.get(wire.server.url("/204")).verifyingDigest())
    respond(try fields(content: Data()), Data())
    #expect(try await wire.client.send(get.verifyingDigest()).data.isEmpty)
  }

  @Test func `a compressed response is verified as it was received, and decompressed afterwards`()
    async throws
  {
    let coded = try WholeGzip.compressed(data)
    respond(try fields(content: coded, more: ["Content-Encoding": "gzip"]), coded)
    #expect(try await outcomes(get.verifyingDigest()) == [nil, nil, nil])
    respond(try fields(content: data, more: ["Content-Encoding": "gzip"]), coded)
    #expect(
      try await outcomes(get.verifyingDigest()) == [.integrityFailed, .integrityFailed, .integrityFailed])
    respond(try fields(content: coded, more: ["Content-Encoding": "br"]), coded)
    let error = await #expect(throws: RequestError.self) { try await wire.client.send(get.verifyingDigest()) }
    #expect(error?.code == .badEncoding)
  }

  @Test func `a requested range is verified by its own digest, not by that of the whole`()
    async throws
  {
    let part = data[100..<200]
    let range: HTTPFields = ["Content-Range": "bytes 100-199/700000"]
    func respond(_ fields: HTTPFields) {
      wire.server.otherwise { _ in .response(status: 206, fields: fields, body: part) }
    }
    let request = get.field("Range", "bytes=100-199").verifyingDigest()
    respond(try fields(content: part, representation: Data("other".utf8), more: range))
    #expect(try await wire.client.send(request).data == part)
    respond(try fields(content: data, more: range))
    await #expect(throws: RequestError.self) { try await wire.client.send(request) }
    respond(try fields(representation: data, more: range))
    await #expect(throws: RequestError.self) { try await wire.client.send(request) }
  }

  // MARK: Downloads that are resumed

  /// Serves the file in two parts, the first of which is truncated.
  private func serveInParts(
    content: Bool, first: @escaping @Sendable (Data) -> Data = { $0 },
    second: @escaping @Sendable (Data) -> Data = { $0 }
  ) throws {
    let data = data
    let whole = try fields(representation: data, more: ["ETag": "\"1\""])
    wire.server.otherwise { request in
      guard request.fields["Range"] != nil else {
        return .response(fields: whole, body: first(data)).closing(at: .body(300_000))
      }
      let rest = data.dropFirst(300_000)
      var fields = whole
      fields["Content-Range"] = "bytes 300000-699999/700000"
      if content {
        fields[ReprDigest.fieldName] = nil
        fields[ContentDigest.fieldName] = try? ContentDigest(of: rest).serialized()
      }
      return .response(status: 206, fields: fields, body: second(rest))
    }
  }

  private func download(resume: Bool = false) async throws {
    try await wire.client.download(
      Request.get(wire.server.url("/")).attempts(2).verifyingDigest(), to: folder.file("download"),
      resume: resume)
  }

  @Test(arguments: [true, false]) func `a resumed download is verified`(content: Bool) async throws {
    try serveInParts(content: content)
    try await download()
    #expect(try Data(contentsOf: folder.file("download")) == data)
    #expect(wire.server.requests.last?.fields["Range"] == "bytes=300000-")
  }

  @Test func `the existing part is verified with the rest, and discarded if it is wrong`() async throws {
    try serveInParts(content: false, first: { Data($0.map { $0 ^ 1 }) })
    let error = await #expect(throws: RequestError.self) { try await download(resume: true) }
    #expect(error?.code == .integrityFailed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    // The next download begins from the start.
    try serveInParts(content: false)
    try await download(resume: true)
    #expect(try Data(contentsOf: folder.file("download")) == data)
  }

  @Test func `the rest of a download is verified by its own digest`() async throws {
    try serveInParts(content: true, second: { Data($0.map { $0 ^ 1 }) })
    let error = await #expect(throws: RequestError.self) { try await download() }
    #expect(error?.code == .integrityFailed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }
}

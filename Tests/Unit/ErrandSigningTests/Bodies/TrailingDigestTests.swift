import ErrandStructuredFields
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandSigning

/// Digests that come after the body, on sockets.
@Suite struct TrailingDigestTests {
  private let wire: Wire
  private let folder: TemporaryFolder
  private let data = Data.seeded(300_000)

  init() throws {
    wire = try Wire()
    folder = try TemporaryFolder()
  }

  /// Returns the outcomes in memory, as a file and as a stream: the codes of the errors, nil for success.
  private func outcomes(_ request: Request) async throws -> [RequestError.Code?] {
    let file = folder.file("download")
    let ways: [() async throws -> Data] = [
      { try await wire.client.send(request).data },
      {
        try await wire.client.download(request, to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try Data(contentsOf: file)
      },
      {
        var all = Data()
        for try await chunk in try await wire.client.stream(request).chunks { all += chunk }
        return all
      },
    ]
    var codes: [RequestError.Code?] = []
    for way in ways {
      do {
        #expect(try await way() == data)
        codes.append(nil)
      } catch let error as RequestError { codes.append(error.code) }
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
    return codes
  }

  private func respond(_ fields: HTTPFields = [:], trailers: HTTPFields) {
    let chunks = [data.prefix(100_000), data.dropFirst(100_000)].map { Data($0) }
    wire.server.otherwise { _ in .chunked(fields: fields, chunks: chunks, trailers: trailers) }
  }

  private var get: Request { .get(wire.server.url("/")) }

  private func content(_ data: Data, _ algorithms: [DigestAlgorithm] = [.sha256]) throws -> String {
    try #require(try ContentDigest(of: data, using: algorithms).serialized())
  }

  @Test func `a digest in the trailers is verified`() async throws {
    let all: [HTTPFields] = [
      ["Content-Digest": try content(data)], ["Content-Digest": try content(data, [.sha512])],
      ["Content-Digest": try content(data, [.sha256, .sha512])],
      ["Repr-Digest": try #require(try ReprDigest(of: data).serialized())],
    ]
    for trailers in all {
      respond(trailers: trailers)
      #expect(try await outcomes(get.verifyingDigest()) == [nil, nil, nil])
      let response = try await wire.client.send(get.verifyingDigest())
      #expect(response.trailers == trailers)
    }
  }

  @Test func `a body that differs from a digest in its trailers is refused`() async throws {
    var other = data
    other[299_999] ^= 1
    var mixed = ContentDigest(of: data, using: [.sha256])
    mixed[.sha512] = DigestAlgorithm.sha512.digest(of: other)
    let all: [(HTTPFields, HTTPFields)] = [
      ([:], ["Content-Digest": try content(other)]),
      ([:], ["Repr-Digest": try #require(try ReprDigest(of: other).serialized())]),
      ([:], ["Content-Digest": try #require(try mixed.serialized())]), ([:], ["Content-Digest": "sha-256=1"]),
      (["Content-Digest": try content(data)], ["Content-Digest": try content(other)]),
      (["Content-Digest": try content(other)], ["Content-Digest": try content(data)]),
    ]
    for (fields, trailers) in all {
      respond(fields, trailers: trailers)
      for isRequired in [true, false] {
        #expect(
          try await outcomes(get.verifyingDigest(isRequired: isRequired))
            == [.integrityFailed, .integrityFailed, .integrityFailed])
      }
    }
  }

  @Test func `a required digest that does not follow either fails the response`() async throws {
    for trailers: HTTPFields in [[:], ["Content-Digest": "md5=:AAAA:"], ["X-Sum": "1"]] {
      respond(trailers: trailers)
      #expect(
        try await outcomes(get.verifyingDigest()) == [.integrityFailed, .integrityFailed, .integrityFailed])
      #expect(try await outcomes(get.verifyingDigest(isRequired: false)) == [nil, nil, nil])
    }
  }

  @Test func `trailers are expected without a length, or where Trailer names a digest`() throws {
    func expects(_ fields: HTTPFields) -> Bool {
      let head = ResponseHead(status: 200, fields: fields)
      let response = FilteredResponse(head: head, codings: [], beginning: nil, isWhole: true)
      return TrailingDigests(response, isRequired: false) != nil
    }
    #expect(expects([:]))
    #expect(!expects(["Content-Length": "3"]))
    #expect(!expects(["Content-Length": "3", "Trailer": "X-Sum"]))
    #expect(expects(["Content-Length": "3", "Trailer": "X-Sum, content-digest"]))
    #expect(expects(["Content-Length": "3", "Trailer": "Repr-Digest"]))
  }

  @Test func `a body is sent with its digest in the trailers`() async throws {
    wire.server.otherwise { _ in .response() }
    let data = data
    let body = RequestBody.bytes(data).withTrailers {
      ["Content-Digest": try ContentDigest(of: data).serialized() ?? ""]
    }
    try await wire.client.send(.put(wire.server.url("/"), body))
    let request = try #require(wire.server.requests.first)
    try ContentDigest(parsing: request.trailers.values(of: "Content-Digest")).verify(request.body)
  }
}

import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

/// Bodies from a transport that passes on all bytes without comparing lengths.
@Suite struct WholeBodiesTests {
  private static let content = Data("0123456789".utf8)

  private let folder: TemporaryFolder
  private var file: URL { folder.file("file") }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("old", to: "file")
  }

  private enum Sink: CaseIterable {
    case memory, file, resumedFile, stream, call

    func send(_ client: Client, _ request: Request, _ file: URL) async throws -> Data {
      switch self {
      case .memory: return try await client.send(request).data
      case .call: return try await client.start(request).value.data
      case .file, .resumedFile:
        try await client.download(request, to: file, resume: self == .resumedFile)
        return try Data(contentsOf: file)
      case .stream:
        var all = Data()
        for try await chunk in try await client.stream(request).chunks { all += chunk }
        return all
      }
    }
  }

  private func answer(_ length: Int?, _ body: Data, status: Int = 200) -> StubStep {
    var fields: HTTPFields = ["ETag": "\"1\""]
    if let length { fields["Content-Length"] = "\(length)" }
    return .response(status: status, fields: fields, chunks: [body.prefix(3), body.dropFirst(3)])
  }

  @Test(arguments: Sink.allCases, [200, 201, 404])
  private func `a body that is shorter than announced is a lost connection`(sink: Sink, status: Int)
    async throws
  {
    let stage = Stage { _ in self.answer(11, Self.content, status: status) }
    let request = Request.get("http://a.test/").acceptingAnyStatus().attempts(1)
    let error = await #expect(throws: RequestError.self) {
      _ = try await sink.send(stage.client, request, file)
    }
    #expect(error?.code == .connectionLost)
    #expect(error?.message.contains("10 of 11 bytes") == true)
    #expect(error?.reachedServer == true)
    #expect(error?.url == "http://a.test/")
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test(arguments: Sink.allCases)
  private func `a body that is longer than announced is an invalid response`(sink: Sink) async throws {
    let stage = Stage { _ in self.answer(9, Self.content) }
    let error = await #expect(throws: RequestError.self) {
      _ = try await sink.send(stage.client, .get("http://a.test/").attempts(1), file)
    }
    #expect(error?.code == .invalidResponse)
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test(arguments: Sink.allCases, [10, nil])
  private func `a body of the announced length, or without an announced length, is accepted`(
    sink: Sink, length: Int?
  ) async throws {
    let stage = Stage { _ in self.answer(length, Self.content) }
    #expect(try await sink.send(stage.client, .get("http://a.test/"), file) == Self.content)
  }

  @Test(arguments: Sink.allCases)
  private func `an attempt with a short body is retried`(sink: Sink) async throws {
    // The caller already has a stream when it turns out to be short.
    guard sink != .stream else { return }
    let stage = Stage { request in
      if request.fields.contains("Range") {
        return .response(
          status: 206, fields: ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"],
          body: Self.content.dropFirst(4))
      }
      return self.answer(10, request.index == 0 ? Self.content.prefix(4) : Self.content)
    }
    let request = Request.get("http://a.test/").attemptsAtOnce(2)
    #expect(try await sink.send(stage.client, request, file) == Self.content)
    #expect(stage.stub.requests.count == 2)
  }

  @Test(arguments: Sink.allCases)
  private func `a body with the coding identity is compared, too`(sink: Sink) async throws {
    let stage = Stage { _ in
      .response(
        fields: ["Content-Length": "11", "Content-Encoding": "identity"], chunks: [Self.content])
    }
    let error = await #expect(throws: RequestError.self) {
      _ = try await sink.send(stage.client, .get("http://a.test/").attempts(1), file)
    }
    #expect(error?.code == .connectionLost)
  }

  @Test(arguments: Sink.allCases)
  private func `a body that the transport has decoded is not compared with its coded length`(sink: Sink)
    async throws
  {
    let stage = Stage { _ in
      .response(fields: ["Content-Length": "4", "Content-Encoding": "gzip"], chunks: [Self.content])
    }
    #expect(try await sink.send(stage.client, .get("http://a.test/"), file) == Self.content)
  }

  @Test(arguments: Sink.allCases, [0, 1])
  private func `a coded body that the core decodes is compared with its coded length`(
    sink: Sink, missing: Int
  )
    async throws
  {
    let coded = try Gzip.compress(Self.content)
    let stage = Stage { _ in
      .response(
        fields: ["Content-Length": "\(coded.count + missing)", "Content-Encoding": "gzip"], chunks: [coded])
    }
    let request = Request.get("http://a.test/").filtered(by: NoFilter()).attempts(1)
    if missing == 0 {
      #expect(try await sink.send(stage.client, request, file) == Self.content)
    } else {
      let error = await #expect(throws: RequestError.self) {
        _ = try await sink.send(stage.client, request, file)
      }
      #expect(error?.code == .connectionLost)
    }
  }

  /// Leaves decoding to the core.
  private struct NoFilter: ResponseFilter {
    let identity = ""
    func prepare(_ fields: inout HTTPFields) { fields.set("Accept-Encoding", "gzip") }
    func begin(_ response: FilteredResponse) throws -> (any BodyFilter)? { nil }
  }

  @Test(arguments: [4, 6])
  func `the rest of a download must have the length of its range`(length: Int) async throws {
    let stage = Stage { request in
      switch request.index {
      case 0: self.answer(10, Self.content.prefix(4))
      case 1:
        .response(
          status: 206, fields: ["ETag": "\"1\"", "Content-Range": "bytes 4-8/10"],
          chunks: [Self.content.dropFirst(4).prefix(length)])
      default: .fail(.cannotConnect)
      }
    }
    let error = await #expect(throws: RequestError.self) {
      _ = try await stage.client.download(.get("http://a.test/").attemptsAtOnce(2), to: file)
    }
    #expect(error?.code == (length == 4 ? .connectionLost : .invalidResponse))
    #expect(try Data(contentsOf: file) == Data("old".utf8))
  }

  @Test func `a partial body without Content-Length is compared with its range`() async throws {
    let stage = Stage { _ in
      .response(status: 206, fields: ["Content-Range": "bytes 2-5/10"], chunks: [Data("234".utf8)])
    }
    let error = await #expect(throws: RequestError.self) {
      _ = try await stage.client.send(
        .get("http://a.test/").field("Range", "bytes=2-5").attempts(1))
    }
    #expect(error?.code == .connectionLost)
  }

  @Test func `a redirect is followed even if its body is truncated`() async throws {
    let stage = Stage { request in
      request.index == 0
        ? .response(
          status: 302, fields: ["Location": "/b", "Content-Length": "10"], chunks: [Data("x".utf8)])
        : .response(body: "done")
    }
    #expect(try await stage.client.send(.get("http://a.test/")).text == "done")
  }
}

import ErrandCore
import Foundation
import Testing

@testable import ErrandURLProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct RequestConversionTests {
  private func converted(
    priority: Float = 0.5, _ change: (inout URLRequest) -> Void = { _ in }
  ) async throws -> Request {
    var original = URLRequest(url: URL(string: "https://example.com/x")!)
    change(&original)
    let (body, read) = try await original.readingBody()
    return try Request(read, body: body, priority: priority)
  }

  @Test(arguments: [
    (Float(0), Priority.background), (0.24, .background), (0.25, .utility), (0.5, .default),
    (0.51, .userInitiated), (1, .userInitiated),
  ])
  func `a task's priority becomes the request's`(priority: Float, expected: Priority) async throws {
    #expect(try await converted(priority: priority).options.priority == expected)
  }

  @Test func `a time-out applies if it differs from the default of all requests`() async throws {
    #expect(try await converted().options.timeout == nil)
    #expect(try await converted { $0.timeoutInterval = 7 }.options.timeout == .seconds(7))
    #expect(try await converted { $0.timeoutInterval = 0 }.options.timeout == nil)
    #expect(try await converted { $0.timeoutInterval = .nan }.options.timeout == nil)
    for long in [TimeInterval.infinity, .greatestFiniteMagnitude] {
      #expect(
        try await converted { $0.timeoutInterval = long }.options.timeout ?? .zero > .seconds(1_000_000))
    }
  }

  @Test func `a body without a type is sent like URLSession sends it, and its length is the transport's`()
    async throws
  {
    let request = try await converted {
      $0.httpMethod = "POST"
      $0.httpBody = Data("a=1".utf8)
      $0.setValue("99", forHTTPHeaderField: "Content-Length")
    }
    #expect(request.method == .post)
    #expect(request.fields["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.fields["Content-Length"] == nil)
  }

  @Test func `a stream that fits into memory is replaced by its bytes, and a longer one stays a stream`()
    async throws
  {
    var original = URLRequest(url: URL(string: "https://example.com/x")!)
    original.httpMethod = "POST"
    original.httpBodyStream = InputStream(data: Data("a=1".utf8))
    let (body, read) = try await original.readingBody()
    #expect(read.httpBody == Data("a=1".utf8))
    #expect(try Request(read, body: body, priority: 0.5).fields["Content-Type"] != nil)
    original.httpBodyStream = InputStream(data: Data(count: 3 << 20))
    let (_, begun) = try await original.readingBody()
    #expect(begun.httpBody == nil && begun.httpBodyStream != nil)
  }

  @Test func `a cache policy applies to a request that is cached`() async throws {
    for policy in [
      URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
    ] {
      let request = try await converted {
        $0 = $0.errand { $0.cached(as: "x") }
        $0.cachePolicy = policy
      }
      #expect(request.options.caching?.policy == .networkOnly)
    }
    #expect(try await converted { $0.cachePolicy = .reloadIgnoringLocalCacheData }.options.caching == nil)
  }
}

import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The effect of a 304, a partial response or a response to HEAD on a cached response (RFC 9111, section
/// 4.3.4).
@Suite(.timeLimit(.minutes(1))) struct CacheRenewalTests {
  private let script = Script(
    .response(
      fields: [
        "ETag": "\"one, two\"", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT", "X-Count": "1",
        "Content-Type": "text/plain",
      ], body: "old"))
  private let stage: Stage
  private let feed = Request.get("http://a.test/feed").cached(as: "feed", .networkOnly).accepting(200..<305)

  init() { stage = Stage { [script] _ in script.now } }

  /// Caches a response, and sends a changed request ten seconds later.
  private func ask(
    _ fields: HTTPFields, _ change: (Request) -> Request = { $0 }, then step: StubStep
  ) async throws -> Response {
    _ = try await stage.client.send(feed)
    script.now = step
    await stage.clock.advance(by: .seconds(10))
    var request = change(feed)
    for field in fields { request = request.field(field.name, field.value) }
    return try await stage.client.send(request)
  }

  private func kept() async throws -> (text: String?, count: String?, age: TimeInterval?, type: String?) {
    let response = try await stage.client.cachedResponse(to: feed)
    let date = stage.client.pipeline.configuration.date()
    return (
      response?.text, response?.fields["X-Count"], response?.cachedAt.map { date.timeIntervalSince($0) },
      response?.fields["Content-Type"]
    )
  }

  static let matching: [(HTTPFields, HTTPFields)] = [
    (["If-None-Match": "\"one, two\""], ["ETag": "\"one, two\""]),
    (["If-None-Match": "W/\"one, two\""], ["ETag": "W/\"one, two\""]),
    (["If-None-Match": "\"x\", \"one, two\""], [:]),
    (["If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"], [:]),
    (
      ["If-Modified-Since": "Tue, 02 Jan 2024 00:00:00 GMT"],
      ["Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"]
    ),
  ]

  @Test(arguments: matching)
  func `a 304 renews the cached response, which is delivered`(asked: HTTPFields, told: HTTPFields)
    async throws
  {
    var told = told
    told.append("X-Count", "2")
    told.append("Content-Type", "text/html")
    told.append("Content-Length", "999")
    told.append("Set-Cookie", "a=b")
    let response = try await ask(asked, then: .response(status: 304, fields: told))
    #expect(response.status == 304)
    let kept = try await kept()
    #expect(kept.text == "old")
    #expect(kept.count == "2")
    #expect(kept.age == 0)
    #expect(kept.type == "text/plain")
    let fields = try #require(try await stage.client.cachedResponse(to: feed)).fields
    #expect(fields["Set-Cookie"] == nil)
    #expect(fields["Content-Length"] == "3")
    #expect(try await stage.client.send(feed.cached(as: "feed", .maxAge(.seconds(1)))).text == "old")
    #expect(stage.stub.requests.count == 2)
  }

  static let foreign: [(HTTPFields, HTTPFields)] = [
    (["If-None-Match": "\"one, two\""], ["ETag": "\"two\""]),
    (["If-None-Match": "\"one\", \"two\""], [:]),
    (["If-None-Match": "*"], [:]),
    (["If-Modified-Since": "Tue, 02 Jan 2024 00:00:00 GMT"], [:]),
    ([:], [:]),
    (
      ["If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"],
      ["Last-Modified": "Tue, 02 Jan 2024 00:00:00 GMT"]
    ),
  ]

  @Test(arguments: foreign)
  func `a 304 for another response renews nothing`(asked: HTTPFields, told: HTTPFields) async throws {
    var told = told
    told.append("X-Count", "2")
    _ = try await ask(asked, then: .response(status: 304, fields: told))
    let kept = try await kept()
    #expect(kept.text == "old")
    #expect(kept.count == "1")
    #expect(kept.age == 10)
  }

  @Test func `a 304 with no-store removes the cached response`() async throws {
    _ = try await ask(
      ["If-None-Match": "\"one, two\""],
      then: .response(status: 304, fields: ["ETag": "\"one, two\"", "Cache-Control": "no-store"]))
    #expect(try await kept().text == nil)
  }

  @Test func `a 304 without a cached response caches nothing`() async throws {
    script.now = .response(status: 304, fields: ["ETag": "\"a\""])
    _ = try await stage.client.send(feed.field("If-None-Match", "\"a\""))
    #expect(try await kept().text == nil)
  }

  @Test func `a 200 for a conditional request replaces the cached response`() async throws {
    _ = try await ask(
      ["If-None-Match": "\"one, two\""], then: .response(fields: ["X-Count": "2"], body: "new"))
    let kept = try await kept()
    #expect(kept.text == "new")
    #expect(kept.count == "2")
  }

  @Test func `a partial response does not replace a cached response`() async throws {
    for fields: HTTPFields in [[:], ["Range": "bytes=0-0"]] {
      // A part that was not requested is an error.
      let response = try? await ask(
        fields, then: .response(status: 206, fields: ["Content-Range": "bytes 0-0/3"], body: "o"))
      #expect((response == nil) == fields.isEmpty)
      #expect(try await kept().text == "old")
      script.now = .response(body: "old")
    }
  }

  @Test func `responses to HEAD and GET are cached separately`() async throws {
    let head = Request.head("http://a.test/feed").cached(as: "feed")
    _ = try await ask([:], { _ in head }, then: .response(fields: ["X-Count": "2"]))
    #expect(stage.stub.requests.count == 2)
    let kept = try await kept()
    #expect(kept.text == "old")
    #expect(kept.count == "1")
    let again = try await stage.client.send(head)
    #expect(again.text == "")
    #expect(again.fields["X-Count"] == "2")
    #expect(stage.stub.requests.count == 2)
  }
}

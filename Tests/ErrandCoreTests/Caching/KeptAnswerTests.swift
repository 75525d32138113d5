import Foundation
import Testing

@testable import ErrandCore

@Suite struct KeptAnswerTests {
  private func kept(
    _ fields: HTTPFields = [:], url: String = "https://example.com/", secrets: Secrets = Secrets()
  ) throws -> KeptAnswer {
    KeptAnswer(
      status: 200, fields: fields, data: Data(), url: try #require(URL(string: url)), date: Date(),
      secrets: secrets)
  }

  @Test func `it holds no secret field`() throws {
    var fields: HTTPFields = ["Set-Cookie": "a=b", "ETag": "c", "set-cookie": "d", "X-Token": "e"]
    fields.append("X-Marked", "f", isSecret: true)
    let answer = try kept(fields, secrets: Secrets(fields: ["x-token"]))
    #expect(answer.fields.map(\.name) == ["ETag"])
  }

  @Test func `it holds no secret of the URL`() throws {
    let answer = try kept(url: "https://me:word@example.com/a?token=abc&page=2#access_token=def")
    #expect(answer.url.absoluteString == "https://***@example.com/a?token=***&page=2#access_token=***")
    #expect(
      try kept(url: "https://example.com/a?page=2").url.absoluteString == "https://example.com/a?page=2")
  }

  @Test func `only an answer that stands by itself and is in memory can be kept`() throws {
    let url = try #require(URL(string: "https://example.com/"))
    for status in [206, 304] {
      #expect(KeptAnswer(Response(status: Status(status), url: url), date: Date()) == nil)
    }
    var response = Response(status: 200, fields: ["ETag": "a"], data: Data("b".utf8), url: url)
    let answer = try #require(KeptAnswer(response, date: Date()))
    #expect(answer.response.status == 200)
    #expect(answer.response.fields == response.fields)
    #expect(answer.response.data == response.data)
    #expect(answer.response.url == url)
    response.body = .file(url)
    #expect(KeptAnswer(response, date: Date()) == nil)
  }

  @Test func `its age is below zero when the clock was set back, and has an end`() throws {
    let answer = try kept()
    #expect(answer.age(at: answer.date) == .zero)
    #expect(answer.age(at: answer.date.addingTimeInterval(60)) == .seconds(60))
    #expect(answer.age(at: answer.date.addingTimeInterval(-60)) == .seconds(-60))
    #expect(answer.age(at: .distantFuture) == .longest)
    #expect(answer.age(at: .distantPast) == .zero - .longest)
  }
}

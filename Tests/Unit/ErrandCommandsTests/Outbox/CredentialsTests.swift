import ErrandCore
import Testing

@testable import ErrandCommands

@Suite struct CredentialsTests {
  private func request(_ url: String, key: String) -> Request { Request.post(url).idempotencyKey(key) }

  @Test func `a request's credentials are used only for its own attempts`() throws {
    let own = request("https://a.test/x", key: "one").field("Authorization", "Bearer t")
    let credentials = try #require(GuaranteedRequest(own, keepsSecrets: false).credentials)
    #expect(credentials.covers(request("https://a.test/x", key: "one")))
    #expect(!credentials.covers(request("https://a.test/x", key: "two")))
    #expect(!credentials.covers(request("https://b.test/x", key: "one")))
    #expect(!credentials.covers(request("http://a.test/x", key: "one")))
  }
}

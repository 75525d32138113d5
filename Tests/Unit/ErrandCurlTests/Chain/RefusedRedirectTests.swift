import ErrandCore
import ErrandCurl
import ErrandTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct RefusedRedirectTests {
  private func failure(_ location: String, _ policy: RedirectPolicy) async throws -> RequestError {
    let server = try MockServer()
    server.on("/") { _ in .redirect(to: location) }
    var configuration = ClientConfiguration()
    configuration.redirects = policy
    let client = Client(transport: CurlTransport(), configuration: configuration)
    return try #require(
      await #expect(throws: RequestError.self) { try await client.send(.get(server.url("/"))) })
  }

  @Test(arguments: [
    "http://other.test/?token=hush-hush", "http://me:hush-hush@other.test/", "ftp://me:hush-hush@other.test/",
    "http://[broken/?token=hush-hush", "http://other.test/#access_token=hush-hush",
  ])
  func `a refused redirect's target is reported without its secrets`(location: String) async throws {
    var policy = RedirectPolicy()
    policy.allowsOtherOrigins = false
    let error = try await failure(location, policy)
    #expect(error.code == .redirectRefused)
    #expect(!error.description.contains("hush-hush"), "\(error)")
    #expect(!error.message.contains("hush-hush"), "\(error.message)")
    #expect(error.description.contains("***") || location.contains("#"))
  }
}

import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandOutbox

struct VerdictTests {
  private let request = Request.post("https://example.com/notes").idempotencyKey("k")

  private func verdict(_ status: Int, at url: String = "https://example.com/notes") throws -> Verdict {
    let response = Response(status: Status(status), url: try #require(URL(string: url)))
    return .standard(DeliveryTry(request: request, number: 1, result: .success(response)))
  }

  private func verdict(_ error: any Error) -> Verdict {
    .standard(DeliveryTry(request: request, number: 1, result: .failure(error)))
  }

  private func rejected(_ status: Int) -> RequestError {
    RequestError.Rejection.status(Status(status), expected: 200..<300)
      .error(Status(status), [:], bodyPrefix: Data())
  }

  private func kind(_ verdict: Verdict) -> String {
    switch verdict {
    case .delivered: "delivered"
    case .again: "again"
    case .refused: "refused"
    case .unauthorized: "unauthorized"
    }
  }

  @Test(arguments: [200, 201, 202, 204, 299])
  func `any 2xx of the origin that was asked is delivered`(status: Int) throws {
    #expect(try verdict(status) == .delivered)
    #expect(try verdict(status, at: "https://EXAMPLE.com:443/other") == .delivered)
  }

  @Test(arguments: ["http://example.com/", "https://portal.example/", "https://example.com:8443/"])
  func `a 2xx of another origin is not: it may be a captive portal's page`(url: String) throws {
    #expect(kind(try verdict(200, at: url)) == "again")
  }

  @Test(arguments: [408, 409, 425, 429, 500, 502, 503, 504, 511])
  func `what may pass is tried again`(status: Int) {
    #expect(kind(verdict(rejected(status))) == "again")
  }

  @Test(arguments: [400, 402, 404, 405, 410, 413, 415, 422, 451])
  func `any other 4xx is refused for good`(status: Int) {
    #expect(kind(verdict(rejected(status))) == "refused")
  }

  @Test(arguments: [401, 403])
  func `refused credentials are the origin's matter`(status: Int) {
    #expect(kind(verdict(rejected(status))) == "unauthorized")
  }

  @Test func `409 and 422 are told apart: still being worked on, and whatever the server says of it`() {
    #expect("\(verdict(rejected(409)))".contains("an earlier try may still be worked on"))
    #expect(verdict(rejected(422)) == .refused(reason: "the server answered 422 Unprocessable Content"))
  }

  @Test(arguments: [300, 301, 302, 304, 307])
  func `a redirect that was not followed is tried again`(status: Int) {
    #expect(kind(verdict(rejected(status))) == "again")
  }

  @Test(arguments: [
    RequestError.Code.timedOut, .deadlineExceeded, .cannotResolveHost, .cannotConnect, .untrustedCertificate,
    .tlsFailed, .connectionLost, .invalidResponse, .badEncoding, .fieldsTooLarge, .tooManyRedirects,
    .redirectRefused,
  ])
  func `every failure on the way is tried again`(code: RequestError.Code) {
    #expect(kind(verdict(RequestError(code, message: "no", reachedServer: true))) == "again")
  }

  @Test(arguments: [RequestError.Code.invalidRequest, .unsupported, .fileUnreadable, .fileChanged])
  func `what cannot be sent as it is is refused`(code: RequestError.Code) {
    #expect(kind(verdict(RequestError(code, message: "no", reachedServer: false))) == "refused")
  }

  @Test func `an answer that is too long to be kept counts by its status`() {
    func tooLarge(_ status: Int) -> RequestError {
      RequestError(.bodyTooLarge, message: "large", status: Status(status), reachedServer: true)
    }
    #expect(verdict(tooLarge(200)) == .delivered)
    #expect(kind(verdict(tooLarge(500))) == "again")
  }

  @Test func `what an interceptor throws is tried again, with what it says`() {
    struct NoToken: Error, CustomStringConvertible { let description = "no token yet" }
    #expect(verdict(NoToken()) == .again(reason: "no token yet"))
  }
}

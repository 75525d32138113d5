import Foundation
import Testing

@testable import ErrandCore
@testable import ErrandOutbox

struct DeliveryDecisionTests {
  private let request = Request.post("https://example.com/notes").idempotencyKey("k")

  private func decision(_ status: Int, at url: String = "https://example.com/notes") throws
    -> DeliveryDecision
  {
    let response = Response(status: HTTPStatus(status), url: try #require(URL(string: url)))
    return .standard(DeliveryAttempt(request: request, number: 1, result: .success(response)))
  }

  private func decision(_ error: any Error) -> DeliveryDecision {
    .standard(DeliveryAttempt(request: request, number: 1, result: .failure(error)))
  }

  private func rejected(_ status: Int) -> RequestError {
    RequestError.Rejection.status(HTTPStatus(status), expected: .success)
      .error(HTTPStatus(status), [:], bodyPrefix: Data())
  }

  private func kind(_ decision: DeliveryDecision) -> String {
    switch decision {
    case .delivered: "delivered"
    case .retry: "retry"
    case .reject: "reject"
    case .unauthorized: "unauthorized"
    }
  }

  @Test(arguments: [200, 201, 202, 204, 299])
  func `a 2xx response of the request's origin is delivered`(status: Int) throws {
    #expect(try decision(status) == .delivered)
    #expect(try decision(status, at: "https://EXAMPLE.com:443/other") == .delivered)
  }

  @Test(arguments: ["http://example.com/", "https://portal.example/", "https://example.com:8443/"])
  func `a 2xx response of another origin is retried, because it may be a captive portal's page`(url: String)
    throws
  {
    #expect(kind(try decision(200, at: url)) == "retry")
  }

  @Test func `a 2xx response of another origin is delivered if redirects to other origins are allowed`()
    throws
  {
    let request = Request.post("https://example.com/")
    let response = Response(status: 200, url: try #require(URL(string: "https://other.example/")))
    var attempt = DeliveryAttempt(request: request, number: 1, result: .success(response))
    #expect(kind(.standard(attempt)) == "retry")
    attempt.mayChangeOrigin = true
    #expect(DeliveryDecision.standard(attempt) == .delivered)
  }

  @Test func `a redirect within the origin is a response to a POST, and another may come from a portal`() {
    func decision(_ status: Int, _ location: String, _ method: HTTPMethod = .post) -> String {
      let error = RequestError.Rejection.status(HTTPStatus(status), expected: .success)
        .error(HTTPStatus(status), ["Location": location], bodyPrefix: Data())
      let request = Request(method, "https://example.com/orders")
      return kind(.standard(DeliveryAttempt(request: request, number: 1, result: .failure(error))))
    }
    for location in ["/orders/5", "https://EXAMPLE.com/x", "//example.com:443/"] {
      #expect(decision(303, location) == "delivered")
      #expect(decision(303, location, .put) == "delivered")
      #expect(decision(302, location) == "reject")
      #expect(decision(301, location) == "reject")
      #expect(decision(307, location) == "retry")
    }
    for location in ["https://portal.example/", "http://example.com/orders/5", "", "http://["] {
      for status in [301, 302, 303, 307] { #expect(decision(status, location) == "retry") }
    }
  }

  @Test(arguments: [408, 409, 425, 429, 500, 502, 503, 504, 511])
  func `a temporary status is retried`(status: Int) {
    #expect(kind(decision(rejected(status))) == "retry")
  }

  @Test(arguments: [400, 402, 404, 405, 410, 413, 415, 422, 451])
  func `any other 4xx is rejected`(status: Int) {
    #expect(kind(decision(rejected(status))) == "reject")
  }

  @Test(arguments: [401, 403])
  func `401 and 403 are classified as unauthorized`(status: Int) {
    #expect(kind(decision(rejected(status))) == "unauthorized")
  }

  @Test func `409 is retried as an earlier attempt in progress, and 422 is rejected`() {
    #expect("\(decision(rejected(409)))".contains("it may still be processing an earlier attempt"))
    #expect(decision(rejected(422)) == .reject(reason: "the server responded with 422 Unprocessable Content"))
  }

  @Test(arguments: [300, 301, 302, 304, 307])
  func `a redirect that was not followed is retried`(status: Int) {
    #expect(kind(decision(rejected(status))) == "retry")
  }

  @Test(arguments: [
    RequestError.Code.timedOut, .deadlineExceeded, .cannotResolveHost, .cannotConnect, .untrustedCertificate,
    .tlsFailed, .connectionLost, .invalidResponse, .badEncoding, .fieldsTooLarge, .tooManyRedirects,
    .redirectRefused,
  ])
  func `every transport failure is retried`(code: RequestError.Code) {
    #expect(kind(decision(RequestError(code, message: "no", reachedServer: true))) == "retry")
  }

  @Test(arguments: [RequestError.Code.invalidRequest, .unsupported, .fileUnreadable, .fileChanged])
  func `a request that cannot be sent unchanged is rejected`(code: RequestError.Code) {
    #expect(kind(decision(RequestError(code, message: "no", reachedServer: false))) == "reject")
  }

  @Test func `a response that is too large to store counts by its status`() {
    func tooLarge(_ status: Int) -> RequestError {
      RequestError(.bodyTooLarge, message: "large", status: HTTPStatus(status), reachedServer: true)
    }
    #expect(decision(tooLarge(200)) == .delivered)
    #expect(kind(decision(tooLarge(500))) == "retry")
  }

  /// The decision about a response, as a client passes it to the outbox.
  private func decision(_ request: Request, _ status: Int, _ fields: HTTPFields = [:]) throws
    -> DeliveryDecision
  {
    let url = try #require(request.url)
    let response = Response(status: HTTPStatus(status), fields: fields, url: url)
    let result = Result<Response, any Error> { try request.validated(response) }
    return .standard(DeliveryAttempt(request: request, number: 1, result: result))
  }

  @Test(arguments: [404, 500, 503, 401, 429, 302])
  func `a status that the request accepts is delivered, whatever it means to others`(status: Int) throws {
    for request in [request.accepting(200, status), request.acceptingAnyStatus()] {
      #expect(try decision(request, status) == .delivered)
      #expect(try decision(request, status, ["Location": "/other"]) == .delivered)
    }
    // The length of the body changes nothing.
    let tooLarge = RequestError(
      .bodyTooLarge, message: "large", status: HTTPStatus(status), reachedServer: true)
    let attempt = DeliveryAttempt(request: request.accepting(status), number: 1, result: .failure(tooLarge))
    #expect(DeliveryDecision.standard(attempt) == .delivered)
  }

  @Test func `a 2xx that the request does not accept is retried, because it may be a captive portal's page`()
    throws
  {
    #expect(
      try decision(request.accepting(201), 200)
        == .retry(
          reason: "the server responded with 200 OK instead of 201: a captive portal may have sent it"))
    #expect(kind(try decision(request.accepting(404), 200)) == "retry")
    #expect(kind(try decision(request.accepting([]), 204)) == "retry")
    let tooLarge = RequestError(.bodyTooLarge, message: "large", status: 200, reachedServer: true)
    let attempt = DeliveryAttempt(request: request.accepting(201), number: 1, result: .failure(tooLarge))
    #expect(kind(.standard(attempt)) == "retry")
  }

  @Test func `a status that the request does not accept has its usual meaning`() throws {
    let request = request.accepting(201)
    #expect(kind(try decision(request, 404)) == "reject")
    #expect(kind(try decision(request, 503)) == "retry")
    #expect(kind(try decision(request, 401)) == "unauthorized")
    #expect(kind(try decision(request, 302, ["Location": "/other"])) == "reject")
    // The request names the statuses that it accepts, and this is not among them.
    #expect(kind(try decision(request, 303, ["Location": "/other"])) == "retry")
    #expect(try decision(request.accepting(201, 303), 303, ["Location": "/other"]) == .delivered)
  }

  @Test func `a status that only an interceptor has accepted is not delivered`() throws {
    let url = try #require(request.url)
    for (status, expected) in [(500, "retry"), (404, "reject"), (401, "unauthorized")] {
      let response = Response(status: HTTPStatus(status), url: url)
      let attempt = DeliveryAttempt(request: request, number: 1, result: .success(response))
      #expect(kind(.standard(attempt)) == expected)
    }
  }

  @Test func `an interceptor's error is retried, with its description as the reason`() {
    struct NoToken: Error, CustomStringConvertible { let description = "no token yet" }
    #expect(decision(NoToken()) == .retry(reason: "no token yet"))
  }

  @Test func `the reason after a decoding error quotes no value`() {
    let context = DecodingError.Context(codingPath: [], debugDescription: "hush")
    #expect(decision(DecodingError.dataCorrupted(context)) == .retry(reason: "an invalid value at the top"))
  }
}

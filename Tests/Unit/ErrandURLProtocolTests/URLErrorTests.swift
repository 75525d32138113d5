import ErrandCore
import Foundation
import Testing

@testable import ErrandURLProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct URLErrorTests {
  @Test(arguments: [
    (RequestError.Code.timedOut, URLError.Code.timedOut), (.cannotResolveHost, .cannotFindHost),
    (.cannotConnect, .cannotConnectToHost), (.connectionLost, .networkConnectionLost),
    (.untrustedCertificate, .serverCertificateUntrusted), (.tooManyRedirects, .httpTooManyRedirects),
    (.bodyTooLarge, .dataLengthExceedsMaximum), (.cancelled, .cancelled), (.invalidRequest, .badURL),
  ])
  func `a client's error has the code that URLSession would give`(
    code: RequestError.Code, expected: URLError.Code
  ) {
    let error = RequestError(code, message: "a message", reachedServer: true)
    let url = URL(string: "https://example.com/x")
    let mapped = URLError(error, url: url)
    #expect(mapped.code == expected)
    #expect((mapped.userInfo[NSUnderlyingErrorKey] as? RequestError)?.code == code)
    #expect(mapped.failingURL == url)
  }

  @Test func `the error of a URLSession transport keeps its code`() {
    let error = RequestError(
      .cannotConnect, message: "no network", reachedServer: false,
      underlying: URLError(.notConnectedToInternet))
    #expect(URLError(error, url: nil).code == .notConnectedToInternet)
  }

  @Test func `URLSession's own error is not changed`() {
    #expect(URLError(URLError(.badURL), url: nil).code == .badURL)
    #expect(URLError(CancellationError(), url: nil).code == .cancelled)
  }
}

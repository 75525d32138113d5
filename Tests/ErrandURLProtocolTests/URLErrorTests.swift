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
  func `a client's error has the code that URLSession gives`(code: RequestError.Code, expected: URLError.Code)
  {
    let error = RequestError(code, message: "a message", reachedServer: true)
    let url = URL(string: "https://example.com/x")
    let mapped = URLError(error, url: url)
    #expect(mapped.code == expected)
    #expect((mapped.userInfo[NSUnderlyingErrorKey] as? RequestError)?.code == code)
    #expect(mapped.failingURL == url)
  }

  @Test func `an error of a transport that is a URLSession has that one's code`() {
    let error = RequestError(
      .cannotConnect, message: "no network", reachedServer: false,
      underlying: URLError(.notConnectedToInternet))
    #expect(URLError(error, url: nil).code == .notConnectedToInternet)
  }

  @Test func `an error of URLSession's own stays as it is`() {
    #expect(URLError(URLError(.badURL), url: nil).code == .badURL)
    #expect(URLError(CancellationError(), url: nil).code == .cancelled)
  }
}

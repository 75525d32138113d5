import ErrandCore
import Testing

@testable import ErrandCommands

@Suite struct ExitCodeTests {
  @Test(
    arguments: [
      (RequestError.Code.rejected, 1), (.tooManyRedirects, 1), (.redirectRefused, 1), (.bodyTooLarge, 1),
      (.invalidRequest, 2), (.unsupported, 2), (.invalidConfiguration, 2), (.proxyAuthenticationFailed, 3),
      (.cannotResolveHost, 3), (.addressRefused, 3), (.pageRefused, 1), (.cannotConnect, 3),
      (.untrustedCertificate, 3), (.pinMismatch, 3), (.tlsFailed, 3), (.timedOut, 4), (.deadlineExceeded, 4),
      (.connectionLost, 5), (.invalidResponse, 5), (.badEncoding, 5), (.fileUnreadable, 6), (.fileChanged, 6),
      (.fileUnwritable, 6), (.cancelled, 130), (RequestError.Code(rawValue: "new"), 5),
    ] as [(RequestError.Code, Int32)])
  func `every error has an exit code`(_ code: RequestError.Code, _ exit: Int32) {
    #expect(ExitCode(code).rawValue == exit)
  }

  @Test func `help lists all exit codes`() {
    let text = HelpText.text(.exitCodes)
    for code in ExitCode.allCases { #expect(text.contains("\n  \(code.rawValue) ")) }
  }
}

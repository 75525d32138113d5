public import ErrandCore

/// The conformance suite for transports: it drives a client on the transport against a `MockServer` and
/// checks both ends. `ConformanceSuite` shows how to run it.
public struct TransportConformance: ConformanceSuite {
  /// Every requirement that needs no TLS.
  public static let cases: [Case] = [
    requests, bodies, responses, encodings, broken, limits, redirects, connecting, timeouts, cancellation,
    connections, streaming, downloads, fileFaults,
  ].flatMap { $0 }

  private let makeTransport: @Sendable () -> any Transport

  /// - Parameter makeTransport: Makes a transport with its default configuration, for one case.
  public init(makeTransport: @escaping @Sendable () -> any Transport) {
    self.makeTransport = makeTransport
  }
}

extension TransportConformance: HarnessedSuite {
  func makeHarness() throws -> TransportHarness { try TransportHarness(makeTransport) }
}

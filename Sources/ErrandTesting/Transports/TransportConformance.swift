public import ErrandCore

/// The conformance suite for transports: it drives a client on the transport against a `MockServer` and
/// checks both ends. It depends on no test framework; with Swift Testing it is one parameterised test:
///
/// ```swift
/// @Test("conforms", arguments: TransportConformance.cases)
/// func conforms(_ aCase: TransportConformance.Case) async throws {
///   try await TransportConformance { MyTransport() }.run(aCase)
/// }
/// ```
///
/// Case names are stable: a transport that cannot meet a requirement can name its case as a known issue.
public struct TransportConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the transport.
    public let name: String
    let body: @Sendable (ConformanceHarness) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ConformanceHarness) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// The outcome of a case that found nothing wrong.
  public enum Outcome: Sendable, Hashable {
    case passed
    /// The case cannot run on this machine, for this reason.
    case skipped(reason: String)
  }

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

  /// Runs one case.
  /// - Throws: A `ConformanceFailure`, or the unexpected error.
  @discardableResult
  public func run(_ testCase: Case) async throws -> Outcome {
    let harness = try ConformanceHarness(makeTransport)
    let result: Result<Outcome, any Error>
    do {
      try await testCase.body(harness)
      result = .success(.passed)
    } catch let skip as ConformanceSkip {
      result = .success(.skipped(reason: skip.reason))
    } catch {
      result = .failure(error)
    }
    await harness.cleanUp()
    return try result.get()
  }
}

/// A requirement that was not met.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The reason why a case cannot run on this machine.
struct ConformanceSkip: Error {
  let reason: String
}

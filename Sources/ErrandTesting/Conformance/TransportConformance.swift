public import ErrandCore

/// The suite that every transport must pass: it drives a client on the transport against a `MockServer` and looks at both
/// ends. It belongs to no test framework; with Swift Testing it is one parameterised test:
///
/// ```swift
/// @Test("conforms", arguments: TransportConformance.cases)
/// func conforms(_ aCase: TransportConformance.Case) async throws {
///   try await TransportConformance { MyTransport() }.run(aCase)
/// }
/// ```
///
/// Case names are stable: a transport that cannot meet one can name it as a known issue.
public struct TransportConformance: Sendable {
  /// One requirement.
  public struct Case: Sendable, Identifiable, Hashable, CustomStringConvertible {
    /// A sentence about the transport.
    public let name: String
    let body: @Sendable (ConformanceLab) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ConformanceLab) async throws -> Void) {
      self.name = name
      self.body = body
    }

    public var id: String { name }
    public var description: String { name }
    public static func == (left: Case, right: Case) -> Bool { left.name == right.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// How a case ended that found nothing wrong.
  public enum Outcome: Sendable, Hashable {
    case passed
    /// This machine cannot show it, for this reason.
    case skipped(reason: String)
  }

  /// Every requirement that needs no TLS.
  public static let cases: [Case] = [
    requests, bodies, answers, encodings, broken, limits, redirects, connecting, timeouts, cancellation,
    connections, streaming, downloads, fileFaults,
  ].flatMap { $0 }

  private let makeTransport: @Sendable () -> any Transport

  /// - Parameter makeTransport: Makes a transport with its default configuration, for one case.
  public init(makeTransport: @escaping @Sendable () -> any Transport) {
    self.makeTransport = makeTransport
  }

  /// Runs one case.
  /// - Throws: What was wrong, as `ConformanceFailure` or as the error that should not have come.
  @discardableResult
  public func run(_ testCase: Case) async throws -> Outcome {
    let lab = try ConformanceLab(makeTransport)
    let result: Result<Outcome, any Error>
    do {
      try await testCase.body(lab)
      result = .success(.passed)
    } catch let skip as ConformanceSkip {
      result = .success(.skipped(reason: skip.reason))
    } catch {
      result = .failure(error)
    }
    await lab.cleanUp()
    return try result.get()
  }
}

/// What a transport did wrong.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Why a case cannot be shown here.
struct ConformanceSkip: Error {
  let reason: String
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A suite of requirements for an implementation of one of Errand's protocols. The suites are
/// `TransportConformance`, `ResponseCacheConformance`, `OutboxStoreConformance` and `BlobStoreConformance`.
/// They need no test framework; with Swift Testing, a suite is one parameterised test:
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conforms(_ testCase: TransportConformance.Case) async throws {
///   try await TransportConformance { MyTransport() }.run(testCase)
/// }
/// ```
///
/// The names of cases are stable, so that an implementation can list an unmet requirement as a known issue.
public protocol ConformanceSuite: Sendable {
  /// The cases of the suite, one for each requirement.
  static var cases: [ConformanceCase<Self>] { get }
}

extension ConformanceSuite {
  /// A case of this suite.
  public typealias Case = ConformanceCase<Self>

  /// Runs one case.
  /// - Throws: `ConformanceFailure` if the requirement is not met, or an unexpected error.
  @discardableResult
  public func run(_ testCase: Case) async throws -> ConformanceOutcome {
    do {
      try await testCase.body(self)
      return .passed
    } catch let skip as ConformanceSkip {
      return .skipped(reason: skip.reason)
    }
  }
}

/// One requirement of a conformance suite.
public struct ConformanceCase<Suite: ConformanceSuite>: Sendable, Identifiable, Hashable,
  CustomStringConvertible
{
  /// The requirement, as a sentence whose subject is the implementation.
  public let name: String
  let body: @Sendable (Suite) async throws -> Void

  /// The name, which is unique within the suite.
  public var id: String { name }
  public var description: String { name }
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The outcome of a case that did not fail.
public enum ConformanceOutcome: Sendable, Hashable {
  /// The implementation meets the requirement.
  case passed
  /// The case cannot run on this machine, for the given reason.
  case skipped(reason: String)
}

/// The error of a case whose requirement is not met.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// The found and the expected value, and evidence such as the requests that a server received.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The reason why a case cannot run on this machine.
struct ConformanceSkip: Error {
  let reason: String
}

// MARK: Harnesses

/// A suite that creates a new harness for each case.
protocol HarnessedSuite: ConformanceSuite {
  associatedtype Harness: ConformanceHarness

  func makeHarness() throws -> Harness
}

/// The environment of one case, with its assertions.
protocol ConformanceHarness: Sendable {
  /// The text that ends a failure's description and may explain the failure.
  var evidence: String { get }

  /// Checks the rules that must hold after every case.
  func checkAll() async throws

  /// Releases all resources of the case, also after a failure.
  func end() async
}

extension ConformanceCase where Suite: HarnessedSuite {
  init(_ name: String, _ body: @escaping @Sendable (Suite.Harness) async throws -> Void) {
    self.name = name
    self.body = { suite in
      let harness = try suite.makeHarness()
      let result: Result<Void, any Error>
      do {
        try await body(harness)
        try await harness.checkAll()
        result = .success(())
      } catch {
        result = .failure(error)
      }
      await harness.end()
      try result.get()
    }
  }
}

extension ConformanceHarness {
  var evidence: String { "" }
  func checkAll() async throws {}
  func end() async {}

  func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure("\(complaint())\(evidence)") }
  }

  func equal<Value: Equatable>(_ found: Value, _ expected: Value, _ what: @autoclosure () -> String) throws {
    if found == expected { return }
    throw ConformanceFailure("\(what()): \(short(found)), expected \(short(expected))\(evidence)")
  }

  private func short(_ value: some Any) -> String {
    if let data = value as? Data { return "\(data.count) bytes beginning with \([UInt8](data.prefix(16)))" }
    let text = String(describing: value)
    return text.count > 300 ? "\(text.prefix(300))…" : text
  }
}

extension Data {
  /// Returns pseudo-random bytes with a period of 65,521, the same for each call.
  static func noise(_ count: Int) -> Data {
    // Tests are not optimised, so a short block is computed and repeated. Its length is a prime number, so that
    // pieces of a buffer's size differ.
    let block = noiseBlock.prefix(count)
    var bytes = Data(capacity: count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
  }

  private static let noiseBlock: Data = {
    var state: UInt32 = 0x9E37_79B9
    return Data(
      (0..<65_521).map { _ in
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return UInt8(truncatingIfNeeded: state)
      })
  }()
}

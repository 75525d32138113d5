#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A suite of requirements for an implementation of one of Errand's protocols: `TransportConformance`,
/// `ResponseCacheConformance`, `OutboxStoreConformance`, `BlobStoreConformance`. It depends on no test
/// framework; with Swift Testing it is one parameterised test:
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conforms(_ testCase: TransportConformance.Case) async throws {
///   try await TransportConformance { MyTransport() }.run(testCase)
/// }
/// ```
///
/// The names of cases are stable: an implementation that cannot meet a requirement can name its case as a known
/// issue.
public protocol ConformanceSuite: Sendable {
  /// Every requirement.
  static var cases: [ConformanceCase<Self>] { get }
}

extension ConformanceSuite {
  public typealias Case = ConformanceCase<Self>

  /// Runs one case.
  /// - Throws: A `ConformanceFailure`, or the unexpected error.
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
  /// A sentence whose subject is the implementation.
  public let name: String
  let body: @Sendable (Suite) async throws -> Void

  public var id: String { name }
  public var description: String { name }
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The outcome of a case that found nothing wrong.
public enum ConformanceOutcome: Sendable, Hashable {
  case passed
  /// The case cannot run on this machine, for this reason.
  case skipped(reason: String)
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

// MARK: Harnesses

/// A suite whose cases each get a harness of their own.
protocol HarnessedSuite: ConformanceSuite {
  associatedtype Harness: ConformanceHarness

  func makeHarness() throws -> Harness
}

/// The surroundings of one case, with its assertions.
protocol ConformanceHarness: Sendable {
  /// The end of a failure's sentence: what may explain it.
  var evidence: String { get }

  /// Checks the rules that hold after every case.
  func checkAll() async throws

  /// Releases all that the case has used, also after a failure.
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
  /// Returns pseudo-random bytes without a short period, the same for each call.
  static func noise(_ count: Int) -> Data {
    // Tests are not optimised, so only this much is computed, and repeated. The length is a prime number: no
    // two pieces that a buffer might confuse are the same.
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

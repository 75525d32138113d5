import Synchronization

/// A test of the integrations.
struct IntegrationTest: Sendable {
  let name: String
  let run: @Sendable () async throws -> Void

  init(_ name: String, _ run: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.run = run
  }
}

private enum Failures {
  /// The failures of the test that runs.
  @TaskLocal static var ofTest = Collected<String>()
}

/// Notes a failure of the test that runs, and lets it continue.
func expect(
  _ condition: Bool, _ message: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line
) {
  if !condition { Failures.ofTest.append("\(file):\(line): \(message())") }
}

/// Notes a failure if the values differ.
func expectEqual<Value: Equatable>(
  _ value: Value, _ expected: Value, file: String = #fileID, line: Int = #line
) {
  expect(value == expected, "\(value) is not \(expected)", file: file, line: line)
}

/// Runs tests.
/// - Parameter width: The number of tests that run at once.
/// - Returns: The number of tests that failed.
func runTests(_ tests: [IntegrationTest], atOnce width: Int) async -> Int {
  await withTaskGroup { group in
    var (waiting, failed) = (tests[...], 0)
    for test in waiting.prefix(width) { group.addTask { await isFailure(test) } }
    waiting = waiting.dropFirst(width)
    for await hasFailed in group {
      if hasFailed { failed += 1 }
      if let test = waiting.popFirst() { group.addTask { await isFailure(test) } }
    }
    return failed
  }
}

private func isFailure(_ test: IntegrationTest) async -> Bool {
  let failures = Collected<String>()
  await Failures.$ofTest.withValue(failures) {
    do {
      try await test.run()
    } catch {
      expect(false, "threw \(String(reflecting: error))")
    }
  }
  if failures.values.isEmpty { return false }
  print((["✗ \(test.name)"] + failures.values.map { "    \($0)" }).joined(separator: "\n"))
  return true
}

/// A box for values that closures collect.
final class Collected<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  var values: [Value] { state.withLock { $0 } }

  func append(_ value: Value) { state.withLock { $0.append(value) } }
}

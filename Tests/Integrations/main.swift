import Foundation

let text = CommandLine.arguments.dropFirst().first
// One after the other, because some set global state.
let tests =
  loggingTests + metricsTests + tracingTests + lifecycleTests + httpTypesTests + openAPITests
  + asyncHTTPClientTests
var failed = await runTests(tests.filter { text.map($0.name.contains) ?? true }, atOnce: 1)
useWire()
failed += await runTests(conformanceTests.filter { text.map($0.name.contains) ?? true }, atOnce: 4)
exit(failed == 0 ? 0 : 1)

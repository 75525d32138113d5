import Foundation
import Programs

/// Python with packages that others wrote, for comparisons. `ERRAND_PYTHON` names it; the default is the
/// system's.
enum Python {
  private static var path: String { ProcessInfo.processInfo.environment["ERRAND_PYTHON"] ?? "python3" }

  static func has(_ package: String) async -> Bool {
    (try? await run("import \(package)")) != nil
  }

  /// Runs a program, and returns its output.
  static func run(_ program: String, input: Data = Data()) async throws -> Data {
    try await Program.output(of: "env", [path, "-c", program], input: input)
  }
}

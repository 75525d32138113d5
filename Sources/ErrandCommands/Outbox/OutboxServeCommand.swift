import ErrandCore
import ErrandInspector
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shows an outbox on a page in a browser, until control-C. It delivers nothing itself.
struct OutboxServeCommand {
  let outbox: Outbox
  /// The outbox's folder or URL.
  let name: String
  let port: Int
  let console: Console

  func run() async throws -> ExitCode {
    let inspector = Inspector(nil, outbox, name: name)
    do {
      let url = try inspector.serve(port: port)
      try console.output.write("\(url.absoluteString)\n")
    } catch let failure as Inspector.Failure {
      throw CommandFailure(.localFile, "inspector", failure.description)
    }
    defer { inspector.stop() }
    do {
      while true { try await Task.sleep(for: .seconds(3600)) }
    } catch {
      return .success
    }
  }
}

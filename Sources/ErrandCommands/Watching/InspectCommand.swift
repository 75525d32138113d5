import ErrandCore
import ErrandInspector
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs a command of the tool, and shows its calls on a page in a browser until control-C.
struct InspectCommand {
  let port: Int
  let console: Console
  /// Runs the command.
  let command: @Sendable () async -> ExitCode?

  func run() async -> ExitCode? {
    let page = InspectedCalls(port: port, console: console)
    let code = await InspectedCalls.$current.withValue(page, operation: command)
    guard let code, page.isServed, !Task.isCancelled else { return code }
    console.say("* the command ended with exit code \(code.rawValue); the page stays open until control-C")
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    return code
  }
}

/// The page that shows the calls of this task's command.
final class InspectedCalls: Sendable {
  /// Nil for a command that is not inspected.
  @TaskLocal static var current: InspectedCalls?

  private let port: Int
  private let console: Console
  private let inspector = Locked<Inspector?>(nil)

  init(port: Int, console: Console) {
    self.port = port
    self.console = console
  }

  /// True if the command has made a client.
  var isServed: Bool { inspector.withLock { $0 != nil } }

  /// Serves the page of this task's command if it is inspected, and prints the page's URL. Must be called
  /// before the client's first call.
  /// - Throws: `CommandFailure` if the page cannot be served.
  @discardableResult
  static func show(_ client: Client) throws -> InspectedCalls? {
    guard let page = current else { return nil }
    let inspector = Inspector(client)
    do {
      page.console.say("Inspector: \(try inspector.serve(port: page.port).absoluteString)")
    } catch let failure as Inspector.Failure {
      throw CommandFailure(.localFile, "inspector", failure.description)
    }
    page.inspector.withLock { $0 = inspector }
    return page
  }

  /// Also shows an outbox on the page.
  func show(_ outbox: Outbox) { inspector.withLock { $0 }?.show(outbox) }
}

import ErrandCore
import ErrandCurl
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder in which the tool stores what must arrive.
struct OutboxPlace: Sendable {
  let path: String
  /// True if it is where the tool looks when it is told nothing.
  let isUsual: Bool

  /// - Parameters:
  ///   - path: What the command line says; nil for the usual folder.
  ///   - environment: Tells which that is, by the XDG base directory specification.
  init(_ path: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
    if let path {
      if FileDescriptor.status(of: path)?.isRegular == true {
        throw CommandFailure(
          .usage, "usage", "\(path) is a file, and no folder to store in",
          hint: "Name a folder: --store FOLDER.")
      }
      self.path = path
      isUsual = false
      return
    }
    isUsual = true
    // A relative one is to be ignored.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      self.path = state + "/errand/outbox"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      self.path = home + "/.local/state/errand/outbox"
    } else {
      throw CommandFailure(
        .usage, "usage", "there is no home folder to store in", hint: "Name a folder: --store FOLDER.")
    }
  }

  /// False if nothing has ever been stored here.
  var exists: Bool { FileManager.default.fileExists(atPath: path + "/outbox.sqlite") }

  /// As it has to be written on a command line.
  var option: String { isUsual ? "" : " --store \(Shell.quoted(path))" }

  /// Opens it to look and to change, but not to deliver.
  func open() async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    return try await open(Client(transport: CurlTransport()), configuration)
  }

  func open(_ client: Client, _ configuration: OutboxConfiguration) async throws -> Outbox {
    try await Outbox(
      at: URL(filePath: path, directoryHint: .isDirectory), client: client, configuration: configuration)
  }
}

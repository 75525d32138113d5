import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The folder of the tool's outbox.
struct OutboxPlace: Sendable {
  let path: String
  /// True if it is the default folder.
  let isUsual: Bool

  /// - Parameters:
  ///   - path: The folder that the command line names; nil for the usual one.
  ///   - environment: The variables that say where the usual one is, by the XDG base directory specification.
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
    // The specification says to ignore a relative path.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      self.path = state + "/errand/outbox"
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      self.path = home + "/.local/state/errand/outbox"
    } else {
      throw CommandFailure(
        .usage, "usage", "there is no home folder to store in", hint: "Name a folder: --store FOLDER.")
    }
  }

  /// True if a request has ever been stored here.
  var exists: Bool { FileManager.default.fileExists(atPath: path + "/outbox.sqlite") }

  /// The option that selects this folder, quoted for a shell; empty for the usual one.
  var option: String { isUsual ? "" : " --store \(Shell.quoted(path))" }

  /// Opens the outbox to read and change it, but not to deliver.
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

/// Quotes text for a shell.
enum Shell {
  /// Returns the text as one word.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte || "/._-+:=@%,".utf8.contains(byte)
    }
    if isPlain, !text.isEmpty { return text }
    return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }
}

/// Finds a stored request by the beginning or the end of its ID.
struct OutboxFinder {
  private static let pageSize = 1000

  let outbox: Outbox

  /// Returns the request.
  /// - Throws: `CommandFailure` if no request matches, or more than one.
  func entry(_ name: String) async throws -> OutboxEntry {
    // Every ID begins with nothing: as `"$ID"` of a script in which it is not set.
    guard !name.isEmpty else {
      throw CommandFailure(
        .usage, "unknownID", "the ID is empty", hint: "errand outbox list shows those that are there.")
    }
    if let entry = try await outbox.status(of: OutboxID(rawValue: name)) { return entry }
    var found: OutboxEntry?
    var last: Int64 = 0
    while true {
      let page = try await outbox.list(after: last, limit: Self.pageSize)
      for entry in page where entry.id.rawValue.hasPrefix(name) || entry.id.rawValue.hasSuffix(name) {
        if let found {
          throw CommandFailure(
            .usage, "ambiguousID", "\(name.debugDescription) begins or ends the names of several requests",
            hint: "\(found.id) and \(entry.id), for two.")
        }
        found = entry
      }
      guard page.count == Self.pageSize, let end = page.last else { break }
      last = end.sequence
    }
    guard let found else {
      throw CommandFailure(
        .usage, "unknownID", "there is no request \(name.debugDescription)",
        hint: "errand outbox list shows those that are there.")
    }
    return found
  }
}

import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The location of the tool's outbox: a folder, or a database that machines share.
struct OutboxPlace: Sendable {
  enum Kind: Sendable, Hashable {
    case folder(String)
    case database(DatabaseURL)
  }

  let kind: Kind
  /// True if it is the default folder.
  let isUsual: Bool
  /// The separate folder of large bodies; nil for the outbox's folder.
  let bodies: String?

  /// - Parameters:
  ///   - place: The folder or the URL that the command line names; nil for the default folder.
  ///   - bodies: The separate folder of large bodies. Default: nil.
  ///   - environment: The variables that locate the default folder, by the XDG base directory specification.
  init(
    _ place: String?, bodies: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    isUsual = place == nil
    self.bodies = bodies
    guard let place else {
      kind = .folder(try Self.usualFolder(environment))
      return
    }
    if let url = DatabaseURL(place) {
      guard bodies == nil else {
        throw CommandFailure(
          .usage, "usage", "--bodies can be used only with a folder", hint: "A database stores bodies itself."
        )
      }
      kind = .database(url)
      return
    }
    if place.contains("://") {
      throw CommandFailure(
        .usage, "usage", "--store cannot use the URL \(place.quotedWithoutSecrets)",
        hint: "Name a folder or a PostgreSQL database: --store FOLDER, --store postgres://HOST/DATABASE.")
    }
    if FileDescriptor.status(of: place)?.isRegular == true {
      throw CommandFailure(
        .usage, "usage", "--store needs a folder, but \(place) is a file",
        hint: "Name a folder: --store FOLDER.")
    }
    kind = .folder(place)
  }

  private static func usualFolder(_ environment: [String: String]) throws -> String {
    try stateFolder(environment) + "/outbox"
  }

  /// The folder in which commands keep their state for later runs.
  static func stateFolder(
    _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    // The specification says to ignore a relative path.
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/errand" }
    if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/state/errand" }
    throw CommandFailure(
      .usage, "usage", "the default folder is unknown, because HOME is not set",
      hint: "Set HOME, or name a folder: --store FOLDER.")
  }

  /// The folder, or the URL without its password.
  var name: String {
    switch kind {
    case .folder(let path): path
    case .database(let url): url.description
    }
  }

  /// False if the folder has no outbox. It is true for a database and for an unreadable folder, because only
  /// opening them shows whether they have one.
  var exists: Bool {
    switch kind {
    case .folder(let path): !FileDescriptor.isMissing(path + "/outbox.sqlite")
    case .database: true
    }
  }

  /// The options that select this place, quoted for a shell and without a password; empty for the default folder.
  var option: String {
    (isUsual ? "" : " --store \(Shell.quoted(name))") + (bodies.map { " --bodies \(Shell.quoted($0))" } ?? "")
  }

  /// Opens the outbox to read and change it, but not to deliver.
  func open() async throws -> Outbox {
    var configuration = OutboxConfiguration()
    configuration.delivers = false
    return try await open(Client(transport: CurlTransport()), configuration)
  }

  /// Opens the outbox with a client and a configuration.
  /// - Parameter patience: How long a call waits for a database that does not respond; nil for the default.
  func open(
    _ client: Client, _ configuration: OutboxConfiguration, patience: Duration? = nil
  ) async throws -> Outbox {
    switch kind {
    case .folder(let path):
      try await Outbox(
        at: URL(literalPath: path, directoryHint: .isDirectory),
        bodies: bodies.map { URL(literalPath: $0, directoryHint: .isDirectory) }, client: client,
        configuration: configuration)
    case .database(let url): try await url.open(client, configuration, patience: patience)
    }
  }

  /// Returns the URL of the database.
  /// - Throws: `CommandFailure` for a folder.
  func database(for command: String) throws -> DatabaseURL {
    if case .database(let url) = kind { return url }
    throw CommandFailure(
      .usage, "usage", "errand outbox \(command) needs a PostgreSQL database",
      hint: "Name it: --store postgres://HOST/DATABASE.")
  }
}

/// Quotes text for a shell.
enum Shell {
  /// Returns the text as one shell word.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte || "/._-+:=@%,".utf8.contains(byte)
    }
    if isPlain, !text.isEmpty { return text }
    return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The header fields, the login and the cookies that several commands to one origin share.
///
/// The file is for its user alone. The cookies are in a second file beside it, whose name ends in `.cookies`.
struct SessionFile: Codable {
  private struct Login: Codable {
    var user: String?
    var password: String?
    var token: String?
    var isDigest = false
  }

  private var origin: String
  private var fields: [[String]] = []
  private var login: Login?

  /// Adds what the session has to the request, and stores what the command line gives.
  /// - Parameter stores: False for a command that sends nothing.
  static func use(_ path: String, in transfer: inout Transfer, stores: Bool) throws {
    guard let url = Request(transfer.method, transfer.url).url, let origin = Origin(url)?.text else { return }
    // The user is asked before the lock is taken.
    if case .user(let user, nil) = transfer.credentials.scheme {
      let known = try read(path).flatMap { $0.origin == origin ? $0.login : nil }
      let secret =
        if let known, known.user == user, let password = known.password {
          SecretText(password)
        } else {
          try PasswordPrompt.ask("Password of \(user) for \(url.host() ?? origin): ")
        }
      transfer.credentials.scheme = .user(user, password: secret)
    }
    // Another command with the same session waits, so that none loses what the other stores.
    let folder = URL(literalPath: path).deletingLastPathComponent().path
    let lock = stores ? try FileDescriptor(reading: folder) : nil
    try lock?.waitForLock()
    defer { lock?.unlock() }
    var session = try read(path) ?? SessionFile(origin: origin)
    guard session.origin == origin else {
      throw UsageError(
        "the session in \(path) is for \(session.origin), so it was not used for \(origin)",
        hint: "Use another file for another server.")
    }
    session.takeFields(from: &transfer)
    session.takeLogin(from: &transfer.credentials)
    if transfer.credentials.cookies == nil { transfer.credentials.cookies = path + ".cookies" }
    if stores { try session.write(to: path) }
  }

  private init(origin: String) { self.origin = origin }

  private static func read(_ path: String) throws -> SessionFile? {
    guard FileDescriptor.status(of: path) != nil else { return nil }
    let data = try FileDescriptor.contents(of: path, limit: 1 << 20)
    guard let session = try? JSONDecoder().decode(SessionFile.self, from: data) else {
      throw UsageError(
        "\(path) is not a session of errand, so it was not changed",
        hint: "Choose another file, which may be missing.")
    }
    return session
  }

  private mutating func takeFields(from transfer: inout Transfer) {
    // These belong to one request.
    let own = ["content-", "if-", "range", "host", "idempotency-key", "expect", "cookie", "transfer-"]
    func isKept(_ name: String) -> Bool { !own.contains { ASCII.lowercased(name).hasPrefix($0) } }
    func isGiven(_ name: String) -> Bool {
      transfer.fields.contains { ASCII.equalIgnoringCase($0.name, name) }
        || transfer.omits(name)
    }
    // The last login counts, as a field or as an option.
    if isGiven("Authorization") { login = nil }
    let hasLogin = transfer.credentials.scheme != nil
    let kept = fields.filter {
      $0.count == 2 && !isGiven($0[0]) && !(hasLogin && ASCII.equalIgnoringCase($0[0], "Authorization"))
    }
    fields = kept + transfer.fields.filter { isKept($0.name) }.map { [$0.name, $0.value] }
    for pair in kept {
      transfer.fields.append(HTTPFields.Field(pair[0], pair[1]))
    }
  }

  private mutating func takeLogin(from credentials: inout CredentialArguments) {
    switch credentials.scheme {
    case .user(let user, let password):
      login = Login(user: user, password: password?.text, isDigest: credentials.usesDigest)
    case .bearer(let token): login = Login(token: token.text)
    case .bearerFile, .netrc, .aws: login = nil
    case nil:
      guard let login, !fields.contains(where: { ASCII.equalIgnoringCase($0[0], "Authorization") }) else {
        return
      }
      if let token = login.token { credentials.scheme = .bearer(SecretText(token)) }
      if let user = login.user {
        credentials.scheme = .user(user, password: SecretText(login.password ?? ""))
        credentials.usesDigest = login.isDigest
      }
    }
  }

  private func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let part = "\(path).\(UUID().uuidString)"
    do {
      try FileDescriptor(private: part).write(try encoder.encode(self), at: 0)
      try FileDescriptor.move(part, to: path)
    } catch let error as FileError {
      FileDescriptor.remove(part)
      // The name of the part means nothing to the user.
      throw error.systemCode == nil ? error : FileError(error.operation, path, error.reason)
    }
  }
}

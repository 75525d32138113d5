import ErrandAuthentication
import ErrandCookies
import ErrandCore
import ErrandSigning

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Transfer {
  /// True if a body from standard input must be read twice, for its signature or after the server's challenge.
  var readsBodyTwice: Bool {
    if case .aws = credentials.scheme { true } else { credentials.usesDigest || signatures.key != nil }
  }
}

extension Login {
  init(_ transfer: Transfer, _ console: Console) throws {
    try self.init(transfer.credentials, for: Request(transfer.method, transfer.url).url) {
      console.say("errand: \($0)")
    }
    if let path = transfer.signatures.key {
      let standard: [MessageComponent] = [.method, .targetURI]
      signer = try MessageSigner(
        try KeyFile(path).signingKey(
          keyID: transfer.signatures.keyID,
          password: try transfer.signatures.keyPasswordFile.map { try SecretFile.password(in: $0) }),
        covering: transfer.signatures.components
          ?? (transfer.body == .none ? standard : standard + [.contentDigest]))
    }
    if let jar = cookies, let given = transfer.cookies {
      cookies = GivenCookies(given: given, jar: jar, origin: origins.first.flatMap { Origin($0) })
    }
    verification = try transfer.signatures.verificationKey.map {
      try ResponseVerification(keyFile: $0, transfer.signatures)
    }
  }
}

/// The credentials that the command line names, read from their files and the environment.
struct Login: Sendable {
  /// The value of `Authorization`; nil if it is not known before the request is sent.
  private(set) var authorization: SecretText?
  private(set) var authentication: Authentication?
  private(set) var signer: (any RequestSigner)?
  private(set) var verification: ResponseVerification?
  private(set) var cookies: (any CookieJar)?
  /// True once the cookie file could not be read or written.
  let cookiesHaveFailed = Flag()
  /// The URL of the request. The signer signs only for its origin.
  private let origins: [URL]

  /// - Throws: `UsageError` or `FileError`.
  init(_ arguments: CredentialArguments, at url: URL) throws {
    try self.init(arguments, for: url) { _ in }
  }

  /// - Parameters:
  ///   - url: The URL of the request; nil if it is invalid, which sending reports.
  ///   - onProblem: Called with each problem of the cookie file.
  /// - Throws: `UsageError`, `FileError` or `SigningError`.
  private init(
    _ arguments: CredentialArguments, for url: URL?,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    onProblem: @escaping @Sendable (String) -> Void
  ) throws {
    origins = url.map { [$0] } ?? []
    switch arguments.scheme {
    case .user(let user, let password):
      try take(
        user, try password ?? PasswordPrompt.ask("Password of \(user) for \(url?.host() ?? "the server"): "),
        arguments,
        url)
    case .netrc:
      guard let host = url?.host() else { break }
      let (user, password) = try NetrcFile.login(for: host, user: arguments.netrcUser, environment)
      try take(user, password, arguments, url)
    case .bearer(let token): authorization = SecretText("Bearer \(token.text)")
    case .bearerFile(let path):
      authorization = SecretText("Bearer \(try SecretFile.token(in: path).text)")
    case .aws(let region, let service):
      signer = try AWSSigner(
        region: region, service: service, credentials: AWSCredentials(environment: environment))
    case nil: break
    }
    cookies = try arguments.cookies.map { path in
      // The program ends after each request, so it would lose session cookies otherwise.
      let store = CookieStore(file: URL(literalPath: path), keepsSessionCookies: true) {
        [cookiesHaveFailed] in
        cookiesHaveFailed.set()
        onProblem("\($0)")
      }
      if try store.hasForeignFile {
        throw UsageError(
          "the cookie file \(path) was not written by Errand and is not a cookies.txt, so it was not changed",
          hint: "Choose another file, which may be missing or empty.")
      }
      return store
    }
  }

  private mutating func take(
    _ user: String, _ password: SecretText, _ arguments: CredentialArguments, _ url: URL?
  ) throws(UsageError) {
    if arguments.usesDigest {
      authentication = .digest(user: user, password: password.text, at: url.map { [$0] } ?? [])
    } else {
      if let problem = BasicCredential.problem(user: user.utf8, password: password.text.utf8) {
        throw UsageError(problem)
      }
      authorization = SecretText("Basic \(Data("\(user):\(password.text)".utf8).base64EncodedString())")
    }
  }

  func configure(_ configuration: inout ClientConfiguration) {
    configuration.authentication = authentication
    configuration.signer = signer
    configuration.signerOrigins = origins
    configuration.cookies = cookies
  }
}

/// A fact that holds from some moment on.
final class Flag: Sendable {
  private let state = Locked(false)

  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}

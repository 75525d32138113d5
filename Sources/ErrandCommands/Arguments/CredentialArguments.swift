import ErrandAuthentication
import ErrandCore

/// The options for authentication and cookies.
struct CredentialArguments: Sendable, Hashable {
  enum Scheme: Sendable, Hashable {
    /// A user, with the password; nil to ask for it.
    case user(String, password: SecretText?)
    /// The password for the URL's host in the netrc file, and its user unless the URL names one.
    case netrc
    case bearer(SecretText)
    case bearerFile(path: String)
    /// AWS Signature Version 4, with the keys from the environment.
    case aws(region: String, service: String)
  }

  var scheme: Scheme?
  /// The user whose entry `--netrc` uses; nil for the host's first entry.
  private(set) var netrcUser: String?
  /// True to send the password only as a digest (RFC 7616).
  var usesDigest = false
  /// The cookie file; nil to use no cookies.
  var cookies: String?

  init() {}

  init(_ arguments: ScannedArguments) throws(UsageError) {
    let given = OptionSpec.logins.filter(arguments.has)
    if given.count > 1 {
      throw UsageError("\(given[0].name) and \(given[1].name) both authenticate the request; use one of them")
    }
    if let option = given.first {
      guard arguments.values(option).count == 1 else {
        throw UsageError("\(option.name) can be given only once")
      }
      let text = arguments.values(option)[0]
      switch option {
      case .user: scheme = try Self.user(text)
      case .bearer: scheme = try Self.bearer(text)
      case .awsSigV4: scheme = try Self.aws(text)
      default: scheme = .netrc
      }
    }
    usesDigest = arguments.has(.digest)
    if usesDigest, !given.contains(where: OptionSpec.passwords.contains) {
      throw UsageError("--digest needs a user and a password", hint: "Add -u USER:PASSWORD or --netrc.")
    }
    cookies = arguments.last(.cookies)
    if cookies?.isEmpty ?? false { throw UsageError("--cookies needs a file name") }
  }

  /// Moves the user from the URL to `netrcUser` if `--netrc` is given, to find that user's entry.
  mutating func takeUser(from url: inout String) throws(UsageError) {
    guard scheme == .netrc, let slashes = url.utf8.firstRange(of: "://".utf8) else { return }
    let authority = url.utf8[slashes.upperBound...].prefix { !"/?#\\".utf8.contains($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return }
    let user = String(Substring(authority[..<at]))
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw UsageError("--netrc and the URL both give a password; use one of them")
    }
    if !user.isEmpty { netrcUser = String(decoding: URLBytes.decoded(user), as: UTF8.self) }
    url.removeSubrange(slashes.upperBound...at)
  }

  /// Throws if `-H` sets a header field that another option also sets.
  func check(_ fields: [HTTPFields.Field]) throws(UsageError) {
    func has(_ name: String) -> Bool { fields.contains { ASCII.equalIgnoringCase($0.name, name) } }
    if scheme != nil, has("Authorization") {
      throw UsageError(
        "-H 'Authorization: ...' and another option both authenticate the request; use one of them")
    }
  }

  private static func user(_ text: String) throws(UsageError) -> Scheme {
    let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    guard colon > text.startIndex else {
      throw UsageError(
        "-u needs USER or USER:PASSWORD, but its value has no user",
        hint: "--netrc reads the password from a file, which keeps it out of the list of processes.")
    }
    guard colon < text.endIndex else {
      if hasControl(text) {
        throw UsageError("the user of -u contains a control character, which cannot be sent")
      }
      return .user(text, password: nil)
    }
    let (user, password) = (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    guard !hasControl(user), !hasControl(password) else {
      throw UsageError("the user or the password of -u contains a control character, which cannot be sent")
    }
    return .user(user, password: SecretText(password))
  }

  private static func bearer(_ text: String) throws(UsageError) -> Scheme {
    guard text.utf8.first == UInt8(ascii: "@") else { return .bearer(try token(text, "--bearer")) }
    guard text.utf8.count > 1 else { throw UsageError("--bearer @ needs a file name: --bearer @FILE") }
    return .bearerFile(path: String(text.dropFirst()))
  }

  /// Returns the token (RFC 6750, section 2.1).
  /// - Parameter source: The option or the file that has the token, for the message.
  static func token(_ text: String, _ source: String) throws(UsageError) -> SecretText {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw UsageError(
        "the token of \(source) is empty, or contains a space, a line break or another character that is not allowed"
      )
    }
    return SecretText(text)
  }

  private static func aws(_ text: String) throws(UsageError) -> Scheme {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts.allSatisfy(isName) else {
      throw UsageError(
        "--aws-sigv4 takes REGION:SERVICE, not \(text.quotedWithoutSecrets)",
        hint: "For example: eu-central-1:s3. The keys come from the environment: AWS_ACCESS_KEY_ID, ...")
    }
    return .aws(region: parts[0], service: parts[1])
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 100
      && text.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= ASCII.lowered($0) || "-_.".utf8.contains($0) }
  }

  private static func hasControl(_ text: String) -> Bool { text.utf8.contains { $0 < 32 || $0 == 127 } }
}

/// A secret string. Its description and its mirror do not show it.
struct SecretText: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let text: String

  init(_ text: String) { self.text = text }

  var description: String { "***" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}

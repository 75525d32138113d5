/// The names of header fields and query items whose values are secret. They are not shown, not written to
/// disk and not sent to another origin.
///
/// The user and the password of a URL are always secret. So are header fields with the names of credentials,
/// such as `Authorization`, `Cookie`, `X-Api-Key` and `X-Amz-Security-Token` (see
/// `HTTPFields.Field.isSecret`).
///
/// Names are compared without regard to case, `-`, `_` and `.`, after repeated percent-decoding: `token`,
/// `api_key` and `password` cover `%74oken`, `apiKey` and `user[password]`.
public struct Secrets: Sendable, Hashable {
  /// The names of header fields that are secret in addition to those that always are. Default: none.
  public var fields: Set<String> {
    didSet { fieldNames = Self.comparable(fields) }
  }
  /// The names of secret query items, parameters in a path and items in a fragment. Remove a name that is not
  /// secret in your app. Default: `commonQueryItems`.
  public var queryItems: Set<String> {
    didSet { itemNames = Self.comparable(queryItems) }
  }

  private var fieldNames: Set<[UInt8]>
  private var itemNames: Set<[UInt8]>

  /// Creates a set of secret names.
  /// - Parameters:
  ///   - fields: The header fields that are secret in addition to those that always are. Default: none.
  ///   - queryItems: The query items that are secret in addition to `commonQueryItems`. Default: none.
  public init(fields: Set<String> = [], queryItems: Set<String> = []) {
    self.fields = fields
    fieldNames = Self.comparable(fields)
    self.queryItems = queryItems.isEmpty ? Self.commonQueryItems : Self.commonQueryItems.union(queryItems)
    itemNames =
      queryItems.isEmpty ? Self.commonNames : Self.commonNames.union(Self.comparable(queryItems))
  }

  /// The names of query items that by convention carry credentials.
  package static let commonQueryItems: Set<String> = [
    "access_key", "access_token", "api_key", "api_token", "assertion", "auth", "auth_key", "auth_token",
    "authorization", "aws_access_key_id", "bearer", "client_assertion", "client_secret", "code",
    "code_verifier", "cookie",
    "credential", "credentials", "device_code", "hmac", "id_token", "id_token_hint", "jsessionid", "jwt",
    "key",
    "login_token", "oauth_signature", "oauth_token", "oauth_verifier", "otp", "pass", "passphrase", "passwd",
    "password", "phpsessid", "private_key", "private_token", "pwd", "refresh_token", "reset_token",
    "saml_response",
    "secret", "secret_key", "security_token", "session", "session_id", "session_token", "sid", "sig",
    "signature",
    "ssh_key", "subscription_key", "ticket", "token", "user_code", "user_token",
    "verification_uri_complete", "x-amz-credential",
    "x-amz-security-token",
    "x-amz-signature", "x-api-key", "x-auth-token", "x-goog-credential", "x-goog-signature",
  ]

  /// The endings of the names of header fields that are always secret.
  package static let fieldEndings = FieldNames.endingsOfSecrets

  private static let commonNames = comparable(commonQueryItems)

  package static let standard = Secrets()

  /// Returns the names that are secret in either.
  package func union(_ other: Secrets) -> Secrets {
    var both = self
    both.fields.formUnion(other.fields)
    both.queryItems.formUnion(other.queryItems)
    return both
  }

  package func covers(_ field: HTTPFields.Field) -> Bool {
    field.isSecret || (!fieldNames.isEmpty && fieldNames.contains(SecretName.comparable(field.name)))
  }

  /// Returns true if the header field must not be shown or stored: it is secret, or its value is a URL with a
  /// secret in it.
  package func hides(_ field: HTTPFields.Field) -> Bool {
    covers(field) || (field.mayHoldURL && !SecretScan(field.value, self).findings.isEmpty)
  }

  /// Returns the URL with `***` in place of its secrets. Accepts any text, so that a malformed URL does not
  /// show secrets either.
  package func redact(_ url: String, as mask: SecretMask = .stars) -> String {
    // Most URLs have no secrets.
    guard url.utf8.contains(where: Self.mayBeginSecret) else { return url }
    return SecretScan(url, self, mask).shown
  }

  private static func mayBeginSecret(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "@"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: "%"): true
    default: false
    }
  }

  /// Returns the first secret part of the URL's path, query or fragment, for a message such as `the query
  /// item token`.
  package func secretPart(of url: String) -> String? {
    SecretScan(url, self).findings.first { !$0.isUser }.map { finding in
      finding.name.map { "the query item \($0)" } ?? "a part of a URL within the URL"
    }
  }

  /// Returns the names and values of all secrets in the URL.
  func secretItems(in url: String) -> [(name: String, value: String)] {
    SecretScan(url, self).findings.map { ($0.name ?? "", $0.value) }
  }

  /// Redacts a text that is not a URL: a password may be anywhere before its last `@`.
  package func redactAnything(_ text: String) -> String {
    let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
    guard let at = text[start...].lastIndex(of: "@") else { return redact(text) }
    return redact(text[..<start] + "***" + text[at...])
  }

  /// Returns true if an item with this name, as it is written in a URL, is secret.
  func isSecret(item name: some Sequence<UInt8>) -> Bool {
    guard let decoded = SecretName.decoded(Array(name)) else { return true }
    if itemNames.contains(SecretName.comparable(decoded)) { return true }
    guard decoded.contains(UInt8(ascii: "[")) else { return false }
    // `user[password]`, `token[]`
    return decoded.split { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
      .contains { itemNames.contains(SecretName.comparable($0)) }
  }

  /// Returns true if a value with this name in a body must not be shown. More names are secret here than in a
  /// URL, because only what is shown depends on it: header fields, and names such as `userPassword` that end in
  /// a secret's name.
  func isSecret(bodyItem name: some Sequence<UInt8>) -> Bool {
    let name = Array(name)
    // A name that is encoded too often is secret.
    guard !isSecret(item: name), let decoded = SecretName.decoded(name) else { return true }
    return fieldNames.contains(SecretName.comparable(decoded))
      || decoded.split { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        .contains { endsInSecret(SecretName.comparable($0)) }
  }

  /// Returns true if a text in a body is the name of a secret, such as `Authorization` in
  /// `{"name": "Authorization", "value": …}`.
  func isNameOfSecret(_ text: [UInt8]) -> Bool {
    isSecret(bodyItem: text) || FieldNames.isSecret(String(decoding: text, as: UTF8.self))
  }

  private func endsInSecret(_ name: [UInt8]) -> Bool {
    guard !Self.harmlessNames.contains(name) else { return false }
    return Self.endings.contains { ending in
      name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
        && itemNames.contains(ending)
    }
  }

  /// The names of query items in which the name of a secret may end. Others, such as `code` and `key`, end the
  /// names of much that is not secret. An item that the app has removed does not count.
  private static let endings = [
    "access_key", "api_key", "assertion", "auth_key", "authorization", "cookie", "credential", "credentials",
    "jwt", "passphrase", "passwd", "password", "private_key", "pwd", "secret", "secret_key", "session_id",
    "signature", "ssh_key", "subscription_key", "token",
  ].map(SecretName.comparable)

  /// The names of tokens that only say where a page of results or a list of changes begins.
  private static let harmlessNames = comparable([
    "continuation_token", "next_page_token", "next_sync_token", "next_token", "page_token", "prev_page_token",
    "previous_page_token", "sync_token",
  ])

  private static func comparable(_ names: Set<String>) -> Set<[UInt8]> {
    Set(names.map(SecretName.comparable))
  }
}

extension String {
  /// A URL for a message: its beginning and an ellipsis if it is long.
  package var clippedURL: String {
    let limit = 500
    guard utf8.count > limit else { return self }
    return String(decoding: utf8.prefix(limit), as: UTF8.self) + "…"
  }
}

/// The text that a URL shows in place of its secrets.
package struct SecretMask: Sendable, Hashable {
  let value: String
  /// The text in place of the user and the password.
  let user: String

  package static let stars = SecretMask(value: "***", user: "***")
  /// The texts of OpenTelemetry's conventions for `url.full`.
  static let openTelemetry = SecretMask(value: "REDACTED", user: "REDACTED:REDACTED")
}

/// Brings names into the form in which they are compared.
package enum SecretName {
  /// The maximum number of times that a name is decoded. A name that is encoded more often counts as secret.
  private static let mostRounds = 8

  static func comparable(_ name: String) -> [UInt8] { comparable(name.utf8) }

  /// Returns the name in lower case, without separators (`-`, `_`, `.`, `+`), spaces and control characters.
  static func comparable(_ name: some Sequence<UInt8>) -> [UInt8] {
    name.compactMap { byte in
      switch byte {
      case 0...32, 127, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"): nil
      default: ASCII.lowered(byte)
      }
    }
  }

  /// Percent-decodes the text until nothing is encoded. Returns nil if eight rounds are not enough.
  package static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var text = text
    for _ in 0..<mostRounds {
      guard text.contains(UInt8(ascii: "%")), let next = decodedOnce(text) else { return text }
      text = next
    }
    return text.contains(UInt8(ascii: "%")) && decodedOnce(text) != nil ? nil : text
  }

  /// Decodes once. Returns nil if nothing is encoded.
  private static func decodedOnce(_ text: [UInt8]) -> [UInt8]? {
    let decoded = URLBytes.decoded(text[...])
    return decoded.count < text.count ? decoded : nil
  }
}

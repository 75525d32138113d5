import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Defines which requests are the same.
///
/// By default, a request's key consists of its method, its URL (with the items of its query in any order),
/// its body and the named header fields. A chosen key is any hashable value.
///
/// ```swift
/// let key: RequestKey = "search"
/// let mine = RequestKey(conversation.id)
/// ```
///
/// Under any key, two requests with different credentials are never the same. Credentials are
/// `Authorization`, `Cookie`, `Proxy-Authorization`, header fields marked as secret, and the user, password
/// and secret query items of the URL. Credentials that are added later are not compared: those of
/// interceptors, and the cookies of a `CookieStore`. Set `ClientConfiguration.identity` for these. No
/// description shows the key's content.
public struct RequestKey: Sendable, Hashable {
  // Indirect, so that a key takes two words: every waiting caller holds one.
  indirect enum Subject: Sendable, Hashable {
    case chosen(ChosenKey)
    case parts(RequestKeyParts)
  }

  let subject: Subject
  /// The credentials. Requests with different ones share nothing.
  let partition: [KeyField]

  init(_ subject: Subject, partition: [KeyField]) {
    self.subject = subject
    self.partition = partition
  }

  /// Creates a key from any hashable value. A `RequestKey` stays as it is.
  public init(_ value: some Hashable & Sendable) {
    self = (value as? RequestKey) ?? RequestKey(.chosen(ChosenKey(value)), partition: [])
  }

  /// Returns the same key, limited to requests with these credentials.
  func partitioned(by partition: [KeyField]) -> RequestKey { RequestKey(subject, partition: partition) }
}

extension RequestKey: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Creates a key from a string literal.
  public init(stringLiteral value: String) {
    self.init(.chosen(ChosenKey(value)), partition: [])
  }
}

extension RequestKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL without its query, or the type of the chosen value.
  public var description: String {
    switch subject {
    case .chosen(let key): "\(key)"
    case .parts(let parts): LogText.line("\(parts)")
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}

/// A key that the app chose. It is equal only to a value of the same type.
struct ChosenKey: Sendable, Hashable {
  private let value: any Hashable & Sendable
  private let type: String

  init(_ value: any Hashable & Sendable) {
    self.value = ExactBytes.key(value)
    type = "\(Swift.type(of: value))"
  }

  static func == (left: ChosenKey, right: ChosenKey) -> Bool { left.value.isTheSame(as: right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Hashable {
  fileprivate func isTheSame(as other: any Hashable) -> Bool { (other as? Self) == self }
}

extension ChosenKey: CustomStringConvertible {
  /// The value may be a secret, so only its type is shown.
  var description: String { "a chosen key (\(type))" }
}

/// The parts of a request's own key. They are hashed once, because a key is looked up several times.
struct RequestKeyParts: Sendable, Hashable {
  let method: HTTPMethod
  let url: NormalizedURL
  let body: BodyIdentity
  /// The value of `Content-Type`; nil without a body.
  let contentType: ExactBytes?
  /// The header fields that were named to be part of the key.
  let fields: [KeyField]
  private let hash: Int

  init(
    method: HTTPMethod, url: NormalizedURL, body: BodyIdentity, contentType: ExactBytes?, fields: [KeyField]
  ) {
    self.method = method
    self.url = url
    self.body = body
    self.contentType = contentType
    self.fields = fields
    var hasher = Hasher()
    hasher.combine(method)
    hasher.combine(url)
    hasher.combine(body)
    hasher.combine(contentType)
    hasher.combine(fields)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension RequestKeyParts: CustomStringConvertible {
  var description: String { "\(method) \(url)" }
}

/// A header field that is part of a key: its name in lower case, its value byte for byte.
struct KeyField: Sendable, Hashable {
  let name: String
  let value: ExactBytes

  init(_ name: String, _ value: String) {
    self.name = ASCII.lowercased(name)
    self.value = ExactBytes(value)
  }

  /// Returns the header fields that are `wanted`, sorted by name, so that the order of different names does
  /// not matter. Values of one name keep their order.
  static func choose(from fields: HTTPFields, where wanted: (HTTPFields.Field) -> Bool) -> [KeyField] {
    var chosen: [KeyField] = []
    for field in fields where wanted(field) { chosen.append(KeyField(field.name, field.value)) }
    if chosen.count > 1 { chosen.sort { $0.name < $1.name } }
    return chosen
  }
}

/// The identity of a body: bodies with equal identities are the same.
enum BodyIdentity: Sendable, Hashable {
  /// A part of a form; the boundary is left out, because it is random.
  struct Part: Sendable, Hashable {
    let head: ExactBytes
    let content: BodyIdentity
  }

  case none
  case bytes(ExactBytes)
  case digest(BodyDigest)
  case file(FileIdentity)
  case parts([Part])
  case source(BodySource)

  /// The largest body, in bytes, that is compared itself. A larger one is represented by its digest.
  private static let largestKept = 4096

  static func data(_ data: Data) -> BodyIdentity {
    data.count > largestKept ? .digest(BodyDigest(data)) : .bytes(ExactBytes(data))
  }
}

/// The digest of a body that is too large for a key to keep alive.
struct BodyDigest: Sendable, Hashable {
  private let digest: SHA256Digest

  init(_ data: Data) { digest = SHA256Digest(hashing: data) }
}

/// Identifies a file's content without reading it.
struct FileIdentity: Sendable, Hashable {
  private let path: String
  private let stamp: FileStamp

  init(_ path: String) throws(FileError) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw FileError(.read, path) }
    self.path = path
    stamp = FileStamp(info)
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Whose answer is kept: a digest of everything that it was asked with and that may be a credential, or may choose the
/// answer. So two users never share one.
///
/// These are all fields but `User-Agent`, `Accept-Encoding` and what traces a request (see `RepeatRule`), the user, the
/// password and the secret query items of the URL, and who the client says it acts for. A condition (`If-None-Match`,
/// `If-Modified-Since`) chooses between an answer and none, so it is not among them; HEAD, which has no body, is.
///
/// The digest is salted, so it says nothing about good credentials, and that of one store nothing about another's. Who
/// holds both the digest and the salt can still try out passwords that are easy to guess.
public struct AnswerPartition: Sendable, Hashable, LosslessStringConvertible {
  /// For what was asked with none of that.
  public static let none = AnswerPartition(digest: nil)

  private let digest: SHA256Digest?

  private init(digest: SHA256Digest?) { self.digest = digest }

  /// - Parameters:
  ///   - fields: The request's; those that may matter take part.
  ///   - method: The request's. Default: GET.
  ///   - url: The request's; its user, its password and its secret query items take part.
  ///   - user: Who asks, for credentials that are in neither, as those that are added to each try.
  ///   - secrets: What is secret besides the usual. Default: nothing.
  ///   - salt: The store's.
  public init(
    of fields: HTTPFields, method: Method = .get, url: URL? = nil, user: String? = nil,
    secrets: Secrets = Secrets(), salt: Data
  ) {
    let credentials = Self.all(of: fields, method: method, url: url, user: user, secrets: secrets)
    self = credentials.isEmpty ? .none : AnswerPartition(credentials, salt: salt)
  }

  init(_ credentials: [String], salt: Data) {
    var hash = SHA256()
    // With their lengths, so that no two lists make the same bytes.
    for part in [salt] + credentials.map({ Data($0.utf8) }) {
      hash.update(Data("\(part.count):".utf8))
      hash.update(part)
    }
    digest = hash.finalize()
  }

  /// All that keeps responses apart.
  static func all(
    of fields: HTTPFields, method: Method, url: URL?, user: String?, secrets: Secrets
  ) -> [String] {
    let parts = parts(of: fields, url: url, user: user, secrets: secrets) {
      ($0.mayMatter && !$0.isCondition) || secrets.covers($0)
    }
    return method == .head ? parts + ["method", "HEAD"] : parts
  }

  /// Names and values in turn, the same whatever the order of names and their case.
  static func parts(
    of fields: HTTPFields, url: URL?, user: String?, secrets: Secrets,
    where matters: (HTTPFields.Field) -> Bool
  ) -> [String] {
    var found = fields.filter(matters).map { ("field \(ASCII.lowercased($0.name))", $0.value) }
    if let url, url.mayHoldCredentials {
      found += secrets.secretItems(in: url.absoluteString).map {
        ("url \(ASCII.lowercased($0.name))", $0.value)
      }
    }
    if let user { found.append(("user", user)) }
    // Values of one name keep their order: which comes first may matter.
    let ordered = found.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    return ordered.flatMap { [$0.element.0, $0.element.1] }
  }

  /// Reads what `description` wrote; nil for anything else.
  public init?(_ description: String) {
    guard !description.isEmpty else {
      self = .none
      return
    }
    let digits = description.utf8.compactMap(Self.value)
    guard digits.count == description.utf8.count, digits.count == 2 * SHA256Digest.byteCount else {
      return nil
    }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    digest = SHA256Digest(bytes)
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    default: nil
    }
  }

  /// 64 hexadecimal digits; empty for `none`.
  public var description: String { digest?.description ?? "" }
}

extension URL {
  /// Most hold none, and need not be taken apart.
  fileprivate var mayHoldCredentials: Bool { absoluteString.utf8.contains { "?@;".utf8.contains($0) } }
}

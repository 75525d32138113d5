import ErrandCrypto

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The key of a cached response: the name that the request gave, and the partition.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
  /// The name that the request gave. A store on disk writes it in plain text, so it should hold no secret.
  public let name: String
  /// The partition of the response. Responses are never shared between partitions.
  public let partition: CachePartition
  /// The number of the response among those of one URL, from 1; 0 for a response that was cached under a name. By
  /// HTTP's rules, a URL has up to 8 responses at a time, to different requests (`Vary`).
  public private(set) var variant: Int

  /// The numbers of the responses that one URL has at most.
  package static let variants = 1...8

  /// Returns the key of another response of the same URL.
  package func variant(_ number: Int) -> CacheKey {
    var key = self
    key.variant = number
    return key
  }

  /// Creates a key.
  /// - Parameters:
  ///   - name: The name that the request gave.
  ///   - partition: The partition of the response. Default: none.
  ///   - variant: The number of the response among those of one URL. A store that writes keys to disk reads it back.
  ///     Default: 0.
  public init(_ name: String, partition: CachePartition = .none, variant: Int = 0) {
    self.name = name
    self.partition = partition
    self.variant = variant
  }

  /// Compares the bytes of the names: two Unicode forms of one letter are different.
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.variant == right.variant && left.partition == right.partition && ASCII.areSame(left.name, right.name)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(variant)
    hasher.combine(partition)
    hasher.combine(bytesOf: name)
  }

  /// The name, and the first 8 digits of the partition if there is one.
  public var description: String {
    partition == .none ? name : "\(name) (\(partition.description.prefix(8)))"
  }
}

/// A digest of everything in a request that may be a credential or may select the response, so that two users
/// never share a cached response.
///
/// It covers the client's `identity`, the options that are part of the key (see `OptionMark`), the user, the
/// password and the secret query items of the URL, and all header fields except `User-Agent`,
/// `Accept-Encoding` and those that trace a request (see `RepeatRule`).
/// Conditions (`If-None-Match`, `If-Modified-Since`) are left out: they choose between a response and none.
/// The method is part of it only for HEAD, whose responses have no body.
///
/// The digest is salted: it reveals nothing about strong credentials, and one store's digests reveal nothing
/// about another's. With both the digest and the salt, an attacker can still find easily guessed passwords by
/// trial.
public struct CachePartition: Sendable, Hashable, LosslessStringConvertible {
  /// The partition of requests with none of these.
  public static let none = CachePartition(digest: nil)

  private let digest: SHA256Digest?

  private init(digest: SHA256Digest?) { self.digest = digest }

  /// Creates the partition of a request.
  /// - Parameters:
  ///   - fields: The request's header fields. Those that may matter take part.
  ///   - method: The request's method. Default: GET.
  ///   - url: The request's URL; its user, its password and its secret query items take part.
  ///   - user: The identity that the request is sent for, if its credentials are in neither the fields nor
  ///     the URL, such as those that are added to each attempt.
  ///   - secrets: Additional secrets, besides the standard ones. Default: none.
  ///   - salt: The store's salt.
  package init(
    of fields: HTTPFields, method: HTTPMethod = .get, url: URL? = nil, user: String? = nil,
    secrets: Secrets = Secrets(), salt: Data
  ) {
    let credentials = Self.all(of: fields, method: method, url: url, user: user, secrets: secrets)
    self = credentials.isEmpty ? .none : CachePartition(credentials, salt: salt)
  }

  init(_ credentials: [String], salt: Data) {
    var hash = SHA256Hash()
    // Each part is preceded by its length, so that no two lists yield the same bytes.
    for part in [salt] + credentials.map({ Data($0.utf8) }) {
      hash.update(Data("\(part.count):".utf8))
      hash.update(part)
    }
    digest = hash.finalize()
  }

  /// The number of bytes that identify the owner of a partition.
  private static let markLength = 16

  /// Returns the bytes that all partitions of an identity begin with.
  static func mark(of owner: String, salt: Data) -> [UInt8] {
    var hash = SHA256Hash()
    hash.update(Data("owner \(salt.count):".utf8) + salt)
    hash.update(Data(owner.utf8))
    return Array(hash.finalize().bytes.prefix(markLength))
  }

  /// Returns the partition as one of an identity. 128 bits of the original digest remain.
  func marked(by owner: String, salt: Data) -> CachePartition {
    let rest = digest?.bytes.dropFirst(Self.markLength) ?? []
    return CachePartition(digest: SHA256Digest(Self.mark(of: owner, salt: salt) + rest))
  }

  func isMarked(_ mark: [UInt8]) -> Bool { digest?.bytes.starts(with: mark) ?? false }

  /// Returns the names and values that separate responses.
  static func all(
    of fields: HTTPFields, method: HTTPMethod, url: URL?, user: String?, secrets: Secrets
  ) -> [String] {
    parts(of: fields, method: method, url: url, user: user, secrets: secrets) {
      ($0.mayMatter && !$0.isCondition) || secrets.covers($0)
    }
  }

  /// Returns names and values, alternating, independent of the order of names and of their case.
  /// - Parameter method: The request's method if responses are to be separated by it: one to HEAD has no
  ///   body.
  static func parts(
    of fields: HTTPFields, method: HTTPMethod?, url: URL?, user: String?, secrets: Secrets,
    where matters: (HTTPFields.Field) -> Bool
  ) -> [String] {
    var found = fields.filter(matters).map { ("field \(ASCII.lowercased($0.name))", $0.value) }
    if let url, url.mayHoldCredentials {
      found += secrets.secretItems(in: url.absoluteString).map {
        ("url \(ASCII.lowercased($0.name))", $0.value)
      }
    }
    if let user { found.append(("user", user)) }
    if found.isEmpty { return method == .head ? ["method", "HEAD"] : [] }
    // Values of one name keep their order, which may be significant.
    let ordered = found.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
    let parts = ordered.flatMap { [$0.element.0, $0.element.1] }
    return method == .head ? parts + ["method", "HEAD"] : parts
  }

  /// Parses the output of `description`; nil for anything else.
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
  /// False for most URLs, which need not be parsed then.
  fileprivate var mayHoldCredentials: Bool { absoluteString.utf8.contains { "?@;%".utf8.contains($0) } }
}

import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The limits that a server sets for uploads.
package struct UploadLimits: Codable, Sendable, Hashable {
  /// The most and the least bytes of an upload.
  var maxSize: Int64?
  var minSize: Int64?
  /// The most and the least bytes of one request. The last request of an upload may have fewer.
  var maxAppendSize: Int64?
  var minAppendSize: Int64?

  /// Returns these limits, with those of a later response in their place.
  func updated(by later: UploadLimits?) -> UploadLimits {
    guard let later else { return self }
    return UploadLimits(
      maxSize: later.maxSize ?? maxSize, minSize: later.minSize ?? minSize,
      maxAppendSize: later.maxAppendSize ?? maxAppendSize, minAppendSize: later.minAppendSize ?? minAppendSize
    )
  }
}

/// The parts of a response that concern an upload. Fields that are not well formed count as missing.
struct UploadFacts: Sendable, Hashable {
  /// The problems that a server may name (RFC 9457).
  enum Problem: Sendable, Hashable {
    case mismatchingOffset
    case completed
    case inconsistentLength
  }

  var status: HTTPStatus
  /// The protocol that the response names; nil if it names none.
  var dialect: UploadDialect?
  /// True if the server speaks tus, but no version that is known.
  var hasOtherTus = false
  var location: String?
  var offset: Int64?
  var isComplete: Bool?
  var length: Int64?
  var limits: UploadLimits?
  /// The time at which the server removes the upload.
  var expires: Date?
  var problem: Problem?
  /// The SHA-256 of the whole content, as the server computed it.
  var digest: Data?

  init(status: HTTPStatus) { self.status = status }

  /// - Parameters:
  ///   - body: The beginning of the response's body.
  ///   - date: The present date.
  init(_ head: ResponseHead, body: Data = Data(), date: Date) {
    status = head.status
    let fields = head.fields
    location = fields["Location"].map(ASCII.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    offset = Self.number(fields, "Upload-Offset")
    length = Self.number(fields, "Upload-Length")
    isComplete =
      Self.boolean(fields, "Upload-Complete") ?? Self.boolean(fields, "Upload-Incomplete").map { !$0 }
    if let limit = Self.limits(fields) {
      limits = limit.0
      expires = limit.age.map { date.addingTimeInterval(Double($0)) }
    }
    if let version = Self.number(fields, UploadDialect.versionField) {
      dialect = Int(exactly: version).flatMap { UploadDialect.versions.contains($0) ? .ietf($0) : nil }
    }
    takeTus(fields)
    takeProblem(head, body)
    digest = Self.digest(fields)
  }

  private mutating func takeTus(_ fields: HTTPFields) {
    let spoken = Self.list(fields, "Tus-Resumable")
    let known = Self.list(fields, "Tus-Version")
    if spoken == ["1.0.0"] {
      dialect = .tus
    } else if !spoken.isEmpty || !known.isEmpty {
      hasOtherTus = !known.contains("1.0.0") || !spoken.isEmpty
    }
    if let size = Self.number(fields, "Tus-Max-Size") {
      limits = (limits ?? UploadLimits()).updated(by: UploadLimits(maxSize: size))
    }
    if let date = fields["Upload-Expires"].flatMap(HTTPDate.parse) { expires = date }
  }

  private mutating func takeProblem(_ head: ResponseHead, _ body: Data) {
    struct Details: Decodable {
      let type: String?
      let expected: Int64?
      enum CodingKeys: String, CodingKey {
        case type
        case expected = "expected-offset"
      }
    }
    guard head.status.code >= 400, head.fields["Content-Type"]?.contains("json") == true,
      body.count <= 64 << 10,
      let details = try? JSONDecoder().decode(Details.self, from: body)
    else { return }
    switch details.type?.split(separator: "#").last {
    case "mismatching-upload-offset":
      problem = .mismatchingOffset
      if let expected = details.expected, expected >= 0, offset == nil { offset = expected }
    case "completed-upload": problem = .completed
    case "inconsistent-upload-length": problem = .inconsistentLength
    default: break
    }
  }

  private static func list(_ fields: HTTPFields, _ name: String) -> [String] {
    fields.values(of: name).flatMap { $0.split(separator: ",").map { ASCII.trimmed(String($0)) } }
      .filter { !$0.isEmpty }
  }

  /// Returns a number that is not negative.
  private static func number(_ fields: HTTPFields, _ name: String) -> Int64? {
    let values = fields.values(of: name).map(ASCII.trimmed)
    // Proxies repeat fields. Equal values count once, and different ones count as missing.
    guard let first = values.first, values.allSatisfy({ $0 == first }),
      let number = ASCII.wholeNumber(String(first.prefix { $0 != ";" })), number >= 0
    else { return nil }
    return number
  }

  private static func boolean(_ fields: HTTPFields, _ name: String) -> Bool? {
    switch Set(fields.values(of: name).map { ASCII.trimmed(String($0.prefix { $0 != ";" })) }) {
    case ["?1"]: true
    case ["?0"]: false
    default: nil
    }
  }

  private static func limits(_ fields: HTTPFields) -> (UploadLimits, age: Int64?)? {
    let lines = fields.values(of: "Upload-Limit")
    guard !lines.isEmpty, let dictionary = try? StructuredDictionary(parsing: lines) else { return nil }
    var numbers: [String: Int64] = [:]
    // `expires` is the name of `max-age` until version 6.
    for key in ["max-size", "min-size", "max-append-size", "min-append-size", "max-age", "expires"] {
      guard let member = dictionary[key] else { continue }
      guard let number = member.integer, number >= 0 else { return nil }
      numbers[key] = number
    }
    return (
      UploadLimits(
        maxSize: numbers["max-size"], minSize: numbers["min-size"], maxAppendSize: numbers["max-append-size"],
        minAppendSize: numbers["min-append-size"]), age: numbers["max-age"] ?? numbers["expires"]
    )
  }

  private static func digest(_ fields: HTTPFields) -> Data? {
    let lines = fields.values(of: "Repr-Digest")
    guard !lines.isEmpty, let dictionary = try? StructuredDictionary(parsing: lines) else { return nil }
    return dictionary["sha-256"]?.bytes
  }
}

import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The canonical request of AWS Signature Version 4: the text whose digest is signed.
struct AWSCanonicalRequest: Sendable, Hashable {
  /// The names of the signed header fields, with semicolons between them.
  let signedNames: String
  let text: String

  /// - Parameters:
  ///   - path: In its canonical form, like `query`.
  ///   - fields: All header fields with `Host`. Those that proxies or transports change are not signed.
  ///   - payload: The digest of the body in hexadecimal digits, or the word in its place.
  /// - Throws: `SigningError.invalidRequest` if a header field cannot be sent.
  init(
    method: HTTPMethod, path: String, query: String, fields: HTTPFields, payload: String
  ) throws(SigningError) {
    var values: [String: [String]] = [:]
    for field in fields {
      // With a line break in a field, two requests could have the same text.
      guard ASCII.isToken(field.name), !ASCII.hasControl(field.value) else {
        throw SigningError(
          .invalidRequest,
          "the header field \(field.name.prefix(100).debugDescription) is not a token, or its value has a control "
            + "character; correct the header field")
      }
      let name = ASCII.lowercased(field.name)
      guard Self.isSigned(name) else { continue }
      values[name, default: []].append(Self.value(field.value))
    }
    guard ASCII.isToken(method.rawValue) else {
      throw SigningError(
        .invalidRequest,
        "the method \(method.rawValue.prefix(100).debugDescription) is not a token; use one such as GET")
    }
    let names = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    signedNames = names.joined(separator: ";")
    let lines = names.map { "\($0):\(values[$0, default: []].joined(separator: ","))\n" }.joined()
    text = "\(method.rawValue)\n\(path)\n\(query)\n\(lines)\n\(signedNames)\n\(payload)"
  }

  /// The digest of the text, in hexadecimal digits.
  var digest: String { SHA256Digest(hashing: Data(text.utf8)).description }

  /// Returns false for the header fields that proxies and transports add or change, and for `Authorization`.
  /// - Parameter name: In lower case.
  static func isSigned(_ name: String) -> Bool {
    !unsigned.contains(name) && !name.hasPrefix("proxy-") && !name.hasPrefix("sec-")
  }

  private static let unsigned: Set<String> = [
    "authorization", "cache-control", "connection", "expect", "from", "keep-alive",
    "max-forwards", "pragma", "referer", "te", "trailer", "transfer-encoding", "upgrade", "user-agent",
    "x-amzn-trace-id",
  ]

  /// Returns the value without spaces around it, and with one space instead of several.
  private static func value(_ value: String) -> String {
    value.utf8.split { $0 == 32 || $0 == 9 }.map { String(Substring($0)) }.joined(separator: " ")
  }
}

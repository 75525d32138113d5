import ErrandCore
import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

/// The messages of RFC 9421, appendix B.2, and helpers for the tests of signatures.
enum RFCMessages {
  static let requestDigest =
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
  static let responseDigest =
    "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"

  /// The time of most examples.
  static let date = Date(timeIntervalSince1970: 1_618_884_473)

  static let request = message(
    "POST", "https://example.com/foo?param=Value&Pet=dog",
    [
      "Host": "example.com", "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
      "Content-Digest": requestDigest, "Content-Length": "18",
    ])
  static let requestContent = Data(#"{"hello": "world"}"#.utf8)

  static let response = SignableMessage(
    200,
    fields: [
      "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json",
      "Content-Digest": responseDigest, "Content-Length": "23",
    ])

  static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  static func message(
    _ method: HTTPMethod, _ url: String, _ fields: HTTPFields = [:], target: String? = nil
  ) -> SignableMessage {
    SignableMessage(method, self.url(url), fields: fields, requestTarget: target)
  }
}

extension SignableMessage {
  static func get(_ url: String, _ fields: HTTPFields = [:]) -> SignableMessage {
    RFCMessages.message("GET", url, fields)
  }

  /// Returns the message with the fields of a signature.
  func signed(_ input: String, _ signature: String) -> SignableMessage {
    var message = self
    message.fields.append("Signature-Input", input)
    message.fields.append("Signature", signature)
    return message
  }

  /// Returns the lines of the signature base except the last.
  func lines(_ components: MessageComponent..., types: [String: StructuredFieldType] = [:]) throws -> [String]
  {
    let parameters = try SignatureParameters(components)
    let base = try signatureBase(for: parameters, structuredFields: types)
    return String(decoding: base, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
      .map(String.init)
  }

  /// Returns the only value of the signature base.
  func value(of component: MessageComponent, types: [String: StructuredFieldType] = [:]) throws -> String {
    let line = try lines(component, types: types)[0]
    return String(line.dropFirst(component.identifier.count + 2))
  }
}

/// Returns the code of the refusal; nil if the body was not refused. Records any other error as an issue.
func codeOfRefusal(_ body: () async throws -> Void) async -> SigningError.Code? {
  do {
    try await body()
    return nil
  } catch let error as SigningError {
    return error.code
  } catch {
    Issue.record(error)
    return nil
  }
}

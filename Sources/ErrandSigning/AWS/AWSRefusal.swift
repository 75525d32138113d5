import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether a response refuses a signature, and whether because of its time.
enum AWSRefusal: Sendable, Hashable {
  /// The response does not say that the signature was refused.
  case none
  /// The signature was refused, perhaps because of its time.
  case signature
  /// The signature was refused because of its time.
  case time

  /// The codes of errors that concern the time alone.
  private static let ofTime = ["RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"]
  /// The codes of errors that concern a signature, perhaps its time.
  private static let ofSignature = ["SignatureDoesNotMatch", "InvalidSignatureException", "AuthFailure"]
  /// The words in error messages that name the time as the reason.
  private static let messages = ["Signature expired", "Signature not yet current"]
  /// The most bytes that are searched. The documents of errors are much shorter.
  private static let longest = 16 << 10

  init(_ status: HTTPStatus, _ fields: HTTPFields, _ body: Data) {
    guard [400, 401, 403].contains(status.code) else {
      self = .none
      return
    }
    let text = Array("\(fields["X-Amzn-ErrorType"] ?? "")\n".utf8.prefix(1000)) + body.prefix(Self.longest)
    if (Self.ofTime + Self.messages).contains(where: { Self.has($0, text) }) {
      self = .time
    } else if Self.ofSignature.contains(where: { Self.has($0, text) }) {
      self = .signature
    } else {
      // The response to HEAD has no document with an error code.
      self = status == 403 && body.isEmpty ? .signature : .none
    }
  }

  /// Returns true if the words are in the text, and not within a longer word.
  private static func has(_ words: String, _ text: [UInt8]) -> Bool {
    let words = Array(words.utf8)
    return text.ranges(of: words).contains { range in
      !(range.lowerBound > 0 && isLetter(text[range.lowerBound - 1]))
        && !(range.upperBound < text.count && isLetter(text[range.upperBound]))
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    97...122 ~= ASCII.lowered(byte) || 48...57 ~= byte
  }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A content coding, such as encryption, that is applied to the bodies of requests after compression.
package protocol BodyCoding: Sendable {
  /// The name of the coding in `Content-Encoding`.
  var name: String { get }
  /// Text that distinguishes codings. Requests with different ones do not share a response.
  var identity: String { get }

  /// Begins one attempt, and chooses its own random parts, such as a salt.
  func begin() throws -> any BodyCodingAttempt
}

/// The coding of one attempt's body. The body may be encoded several times, always to the same bytes.
package protocol BodyCodingAttempt: Sendable {
  /// Returns the length of a coded body; nil if it is known only at its end.
  func codedLength(of length: Int64) -> Int64?
  func makeEncoder() throws -> any BodyEncoder
}

/// Encodes a body piece by piece. Its methods are called by one thread at a time.
package protocol BodyEncoder: AnyObject {
  func update(_ piece: Data) throws -> Data
  func finish() throws -> Data
}

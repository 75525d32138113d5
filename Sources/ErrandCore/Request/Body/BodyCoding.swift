#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A content coding that bodies of requests are sent in, after they were compressed: encryption.
package protocol BodyCoding: Sendable {
  /// The name of the coding in `Content-Encoding`.
  var name: String { get }
  /// Tells requests apart that must not share a response.
  var identity: String { get }

  /// Begins one attempt, and chooses what is different in each, such as a salt.
  func begin() throws -> any BodyCodingAttempt
}

/// The coding of one attempt's body, which may be read several times. The same bytes come of the same body each time.
package protocol BodyCodingAttempt: Sendable {
  /// Returns the length of a coded body; nil if it is not known before its end.
  func codedLength(of length: Int64) -> Int64?
  func makeEncoder() throws -> any BodyEncoder
}

/// Encodes a body, piece by piece. It is called by one thread at a time.
package protocol BodyEncoder: AnyObject {
  func update(_ piece: Data) throws -> Data
  func finish() throws -> Data
}

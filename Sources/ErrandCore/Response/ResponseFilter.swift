#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Examines or decodes accepted responses: signatures, digests and encryption. A body with filters is given to them as it
/// was transferred, while it arrives, and decoded after them.
package protocol ResponseFilter: Sendable {
  /// Tells requests apart whose responses must not be shared.
  var identity: String { get }

  /// Adds the fields that ask for responses that the filter can use, where the request has none of its own.
  func prepare(_ fields: inout HTTPFields)

  /// Examines a response before the caller gets it, and a redirect before it is followed.
  /// - Throws: If it is not acceptable. The attempt fails with that error.
  func examine(_ response: ExaminedResponse) async throws

  /// Begins with a response that may have a body.
  /// - Returns: A filter of the body as it is transferred; nil if there is nothing to filter.
  /// - Throws: If the response is not acceptable. The attempt fails with that error.
  func begin(_ response: FilteredResponse) throws -> (any BodyFilter)?

  /// Returns the decoder of a content coding, or nil if it is not this filter's.
  func decoder(of coding: String, _ response: FilteredResponse) throws -> (any BodyFilter)?
}

extension ResponseFilter {
  package func examine(_ response: ExaminedResponse) async throws {}
  package func decoder(of coding: String, _ response: FilteredResponse) throws -> (any BodyFilter)? { nil }
}

/// A response that is about to be used.
package struct ExaminedResponse: Sendable {
  package let head: ResponseHead
  /// The request of the response.
  package let method: HTTPMethod
  package let url: URL
  /// The header fields that the request was sent with, without those that only the transport knows.
  package let fields: HTTPFields
  /// True if it is a redirect that will be followed.
  package let isRedirect: Bool
  /// True if it has content, or may have some: of a stream that is not known before its end.
  package let mayHaveContent: Bool
  /// True if its content is the rest of a file, of which an earlier response brought the beginning.
  package let isRest: Bool
  /// The time of the client.
  package let date: Date
}

/// A response whose body is about to be filtered.
package struct FilteredResponse: Sendable {
  package let head: ResponseHead
  /// The content codings of the body, in the order in which they were applied, in lower case.
  package let codings: [String]
  /// The part of the representation that an earlier response brought, which this one goes on from; nil if this one
  /// begins at the beginning, or nowhere that is known.
  package let beginning: FileBeginning?
  /// True if the body ends where the representation ends, and begins where it begins, or where `beginning` ends.
  package let isWhole: Bool

  /// The first bytes of a file.
  package struct FileBeginning: Sendable {
    package let path: String
    package let length: Int64
  }
}

/// A filter of one body. It is called by one thread at a time.
package protocol BodyFilter: AnyObject, Sendable {
  /// Takes the next bytes, of any number.
  func put(_ bytes: Data) throws
  /// Ends the bytes. What is left is taken after that.
  /// - Throws: If they are not complete, or not what they should be.
  func end() throws
  /// Returns the next bytes of its result, not many at once; nil if it needs more, or after the end.
  func take() throws -> Data?
  /// Work that has to be done before anything more is put in or taken, such as waiting for a key; nil if there is none.
  var work: (@Sendable () async throws -> Void)? { get }
}

extension BodyFilter {
  package var work: (@Sendable () async throws -> Void)? { nil }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Examines or decodes accepted responses: signatures, digests and encryption. Filters get a body as it was
/// transferred, while it arrives; it is decoded after they have seen it.
package protocol ResponseFilter: Sendable {
  /// A text that differs for requests whose responses must not be shared.
  var identity: String { get }

  /// Adds the fields that ask for responses that the filter can use, unless the request has such fields.
  func prepare(_ fields: inout HTTPFields)

  /// Examines a response before the caller gets it, and a redirect before it is followed.
  /// - Throws: An error if it is not acceptable. The attempt fails with that error.
  func examine(_ response: ExaminedResponse) async throws

  /// Begins to filter a response that may have a body.
  /// - Returns: A filter of the body as it is transferred; nil if the filter does not need the body.
  /// - Throws: An error if the response is not acceptable. The attempt fails with that error.
  func begin(_ response: FilteredResponse) throws -> (any BodyFilter)?

  /// Returns the decoder of a content coding; nil if this filter does not decode it.
  func decoder(of coding: String, _ response: FilteredResponse) throws -> (any BodyFilter)?
}

extension ResponseFilter {
  package func examine(_ response: ExaminedResponse) async throws {}
  package func decoder(of coding: String, _ response: FilteredResponse) throws -> (any BodyFilter)? { nil }
}

/// A response that is about to be used.
package struct ExaminedResponse: Sendable {
  package let head: ResponseHead
  /// The method of the response's request.
  package let method: HTTPMethod
  package let url: URL
  /// The header fields that the request was sent with, without those that only the transport knows.
  package let fields: HTTPFields
  /// True if it is a redirect that will be followed.
  package let isRedirect: Bool
  /// True if it has content, or may have some. Whether a stream has content is not known before its end.
  package let mayHaveContent: Bool
  /// True if its content is the rest of a file whose beginning came with an earlier response.
  package let isRest: Bool
  /// The time by the client's clock.
  package let date: Date
}

/// A response whose body is about to be filtered.
package struct FilteredResponse: Sendable {
  package let head: ResponseHead
  /// The content codings of the body, in the order in which they were applied, in lower case.
  package let codings: [String]
  /// The part of the representation that an earlier response delivered, and that this one continues. It is
  /// nil if this response begins at the beginning, or at an unknown position.
  package let beginning: FileBeginning?
  /// True if the body ends where the representation ends, and begins where it begins, or where `beginning`
  /// ends.
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
  /// Ends the input. The remaining output is taken after that.
  /// - Throws: An error if the input is incomplete or not acceptable.
  func end() throws
  /// Returns the next bytes of the output, in pieces of a limited size. Returns nil if it needs more input,
  /// or after the end.
  func take() throws -> Data?
  /// The work that must be done before more is put in or taken, such as a wait for a key; nil without work.
  var work: (@Sendable () async throws -> Void)? { get }
}

extension BodyFilter {
  package var work: (@Sendable () async throws -> Void)? { nil }
}

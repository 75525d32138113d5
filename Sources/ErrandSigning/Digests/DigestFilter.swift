import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Verifies the digests of responses.
struct DigestFilter: ResponseFilter {
  let isRequired: Bool

  var identity: String { isRequired ? "a digest" : "a digest if there is one" }

  func prepare(_ fields: inout HTTPFields) {
    for name in ["Want-Content-Digest", "Want-Repr-Digest"] where !fields.contains(name) {
      fields.append(name, "sha-256=10, sha-512=5")
    }
    if !fields.contains("Accept-Encoding") { fields.append("Accept-Encoding", "identity") }
  }

  func begin(_ response: FilteredResponse) throws -> (any BodyFilter)? {
    do {
      let content = try Self.field(ContentDigest.self, of: response.head)
      let representation = response.isWhole ? try Self.field(ReprDigest.self, of: response.head) : nil
      let trailing = TrailingDigests(
        response, isRequired: isRequired && content == nil && representation == nil)
      if content != nil || representation != nil || trailing != nil {
        return try DigestBodyFilter(content, representation, after: response.beginning, trailing: trailing)
      }
    } catch {
      throw Self.failed("the digest of the response cannot be verified: \(error)", error, response.head)
    }
    guard isRequired else { return nil }
    throw Self.failed(Self.missing, nil, response.head)
  }

  static let missing =
    "the response has no digest of its body that can be verified (Content-Digest, with sha-256 or sha-512), but one "
    + "is required; have the server send it, or use verifyingDigest(isRequired: false)"

  /// Returns the field; nil if it has no digest that can be verified.
  static func field<Field: IntegrityField>(_: Field.Type, of head: ResponseHead) throws -> Field? {
    try field(Field.self, in: head.fields)
  }

  /// Returns the field of a head or of trailers; nil if it has no digest that can be verified.
  static func field<Field: IntegrityField>(_: Field.Type, in fields: HTTPFields) throws -> Field? {
    let lines = fields.values(of: Field.fieldName)
    guard !lines.isEmpty else { return nil }
    let field = try Field(parsing: lines)
    return field.algorithms.isEmpty ? nil : field
  }

  static func failed(_ reason: String, _ error: (any Error)?, _ head: ResponseHead?) -> RequestError {
    RequestError(
      .integrityFailed, message: reason, status: head?.status, fields: head?.fields, reachedServer: true,
      underlying: error)
  }
}

/// Verifies the digests of one body, and passes the body on unchanged.
// Its variables need no lock: the response's sink calls one method after another, and awaits `work` before the next.
final class DigestBodyFilter: BodyFilter {
  private nonisolated(unsafe) var content: DigestVerifier?
  private nonisolated(unsafe) var representation: DigestVerifier?
  private nonisolated(unsafe) var beginning: FilteredResponse.FileBeginning?
  private nonisolated(unsafe) var passing = Data()
  private let trailing: TrailingDigests?
  private nonisolated(unsafe) var trailers = HTTPFields()

  /// - Parameters:
  ///   - beginning: The bytes of the representation that come before the body.
  ///   - trailing: Verifies the digests in trailers; nil without them. Default: nil.
  init(
    _ content: ContentDigest?, _ representation: ReprDigest?,
    after beginning: FilteredResponse.FileBeginning?,
    trailing: TrailingDigests? = nil
  ) throws {
    self.trailing = trailing
    self.beginning = representation == nil ? nil : beginning
    if let content { self.content = try content.verifier() }
    if let representation { self.representation = try representation.verifier() }
  }

  var work: (@Sendable () async throws -> Void)? {
    guard let beginning else { return nil }
    return { [self] in
      try await read(beginning)
      self.beginning = nil
    }
  }

  /// Reads the beginning of the file that is already on disk, off the calling thread.
  private func read(_ beginning: FilteredResponse.FileBeginning) async throws {
    var length: Int64 = 0
    for try await chunk in RequestBody.file(URL(literalPath: beginning.path)).chunks {
      representation?.update(chunk)
      length += Int64(chunk.count)
    }
    guard length == beginning.length else {
      throw DigestFilter.failed(
        "the part of the file that was downloaded before has changed; download the whole file again", nil, nil
      )
    }
  }

  func put(_ bytes: Data) {
    content?.update(bytes)
    // The beginning of the file was hashed before: `work` has been done.
    representation?.update(bytes)
    trailing?.update(bytes)
    passing.append(bytes)
  }

  func put(trailers: HTTPFields) { self.trailers = trailers }

  func take() -> Data? {
    guard !passing.isEmpty else { return nil }
    defer { passing = Data() }
    return passing
  }

  func end() throws {
    do {
      if let verifier = content.take() { try verifier.finalize() }
      if let verifier = representation.take() { try verifier.finalize() }
      try trailing?.verify(trailers)
    } catch let failure as RequestError {
      throw failure
    } catch {
      throw DigestFilter.failed("\(error)", error, nil)
    }
  }
}

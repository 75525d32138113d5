import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Verifies the signatures of responses. The head is verified before any part is used, and the content while
/// it arrives, by the digest that the signature covers.
struct SignatureFilter: ResponseFilter {
  let verifier: MessageVerifier
  let identity: String

  func prepare(_ fields: inout HTTPFields) { DigestFilter(isRequired: true).prepare(&fields) }

  func examine(_ response: ExaminedResponse) async throws {
    var needed: [String] = []
    // Without these fields, an attacker could change the target of a redirect, the coding, or the part of a
    // file that an earlier response delivered.
    if response.isRedirect { needed.append("location") }
    if response.mayHaveContent { needed.append(MessageComponent.contentDigest.name) }
    if response.isRest { needed.append("repr-digest") }
    if response.head.fields.contains("Content-Encoding") { needed.append("content-encoding") }
    let request = SignableMessage(response.method, response.url, fields: response.fields)
    let message = SignableMessage(response.head.status, fields: response.head.fields, answering: request)
    do {
      _ = try await verifier.verify(message, covering: needed, now: response.date)
    } catch {
      throw Self.failed(response.isRedirect ? "redirect" : "response", error, response.head)
    }
  }

  func begin(_ response: FilteredResponse) throws -> (any BodyFilter)? {
    do {
      let content = try DigestFilter.field(ContentDigest.self, of: response.head)
      guard response.beginning != nil else {
        return try content.map { try DigestBodyFilter($0, nil, after: nil) }
          ?? UncoveredContent(response.head)
      }
      let whole = response.isWhole ? try DigestFilter.field(ReprDigest.self, of: response.head) : nil
      guard let content, let whole else {
        throw SigningError(
          .unknownAlgorithm,
          "the rest of a file needs Content-Digest and Repr-Digest; download the file from its beginning")
      }
      return try DigestBodyFilter(content, whole, after: response.beginning)
    } catch {
      throw Self.failed("response", error, response.head)
    }
  }

  /// - Parameter error: The verifier's error, or that of the application's keys, which the message does not show.
  fileprivate static func failed(_ part: String, _ error: any Error, _ head: ResponseHead) -> RequestError {
    let reason =
      switch error {
      case let error as SigningError: error.message
      default: "its key could not be found"
      }
    return RequestError(
      .integrityFailed, message: "the \(part) is not accepted: \(reason)", status: head.status,
      fields: head.fields, reachedServer: true, underlying: error)
  }
}

/// Refuses content that is not covered by a digest.
private final class UncoveredContent: BodyFilter {
  private let head: ResponseHead

  init(_ head: ResponseHead) { self.head = head }

  var work: (@Sendable () async throws -> Void)? { nil }
  func take() -> Data? { nil }
  func end() {}

  func put(_ bytes: Data) throws {
    if bytes.isEmpty { return }
    let isSigned = head.fields.contains(MessageSignature.inputName)
    throw SignatureFilter.failed(
      "response",
      SigningError(
        isSigned ? .missingComponent : .noSignature,
        isSigned
          ? "it has content, but no Content-Digest that can be verified; the sender has to add and cover it"
          : "it has no signature; the sender has to sign it"), head)
  }
}

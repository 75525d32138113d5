package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A request in the parts that a statement has parameters for: what is stored of it is made by the database.
package struct RequestParts: Sendable {
  package let method: String
  package let url: String
  package let fields: [(name: String, value: String)]
  /// The bytes of the body; nil for none.
  package let body: Data?
  package let contentType: String?
  /// The options that were set, as JSON; nil if none were.
  package let options: String?

  /// - Throws: `OutboxError.notStorable` if the request cannot be stored, or its body is a file.
  package init(_ request: Request, secrets: Secrets) throws(OutboxError) {
    try request.checkStorable(hiding: secrets)
    guard let url = request.url else { throw OutboxError(.notStorable, "the request has no whole URL") }
    let pieces = BodyPieces(request.body)
    var data = Data()
    for segment in pieces.segments {
      guard case .bytes(let bytes) = segment else {
        throw OutboxError(
          .notStorable,
          "\(request.method) \(request.urlText(hiding: secrets).clippedURL): a file is not sent with a statement; read "
            + "it, or enqueue the request with an outbox")
      }
      data += bytes
    }
    method = request.method.rawValue
    self.url = url.absoluteString
    fields = request.fields.map { ($0.name, $0.value) }
    body = pieces.kind == .none ? nil : data
    contentType = pieces.contentType
    let options = StoredOptions(request.options).encoded()
    self.options = options.isEmpty ? nil : String(decoding: options, as: UTF8.self)
  }
}

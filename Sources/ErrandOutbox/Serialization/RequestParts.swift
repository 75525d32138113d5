package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A request, divided into the parameters of a statement. The database makes the stored form.
package struct RequestParts: Sendable {
  package let method: String
  package let url: String
  package let fields: [(name: String, value: String)]
  /// The bytes of the body; nil for no body.
  package let body: Data?
  package let contentType: String?
  /// The options that were set, as JSON; nil if no option was set.
  package let options: String?

  /// - Throws: `OutboxError.notStorable` if the request cannot be stored, or its body is a file.
  package init(_ request: Request, secrets: Secrets) throws(OutboxError) {
    try request.checkStorable(hiding: secrets)
    guard let url = request.url else { throw OutboxError(.notStorable, "the request has no absolute URL") }
    let pieces = BodyPieces(request.body)
    var data = Data()
    for segment in pieces.segments {
      guard case .bytes(let bytes) = segment else {
        throw OutboxError(
          .notStorable,
          "\(request.method) \(request.urlText(hiding: secrets).clippedURL): a statement cannot send a file; read "
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

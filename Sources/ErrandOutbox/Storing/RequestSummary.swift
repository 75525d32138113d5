import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What may be shown of a stored request, without reading all of it.
struct RequestSummary: Sendable, Hashable {
  var method: ErrandCore.Method
  /// Without its secrets.
  var url: String
  /// What stays the same through every try; as it was set, without the quotes around it.
  var idempotencyKey: String
  var body: StoredBody.Kind
  /// The bytes of the body.
  var bodyLength: Int64

  init(_ request: StoredRequest, shownURL: String) {
    method = request.method
    url = shownURL
    idempotencyKey = request.fields["Idempotency-Key"].map(Self.unquoted) ?? ""
    body = request.body.kind
    bodyLength = request.body.length
  }

  private static func unquoted(_ text: String) -> String {
    text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
      ? String(text.dropFirst().dropLast()) : text
  }
}

extension RequestSummary {
  /// The names are short because every request on disk has them.
  private struct Coded: Codable {
    var m: String
    var u: String
    var i: String
    var k: StoredBody.Kind
    var l: Int64
  }

  func encoded() -> Data {
    let coded = Coded(m: method.rawValue, u: url, i: idempotencyKey, k: body, l: bodyLength)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(coded) else {
      preconditionFailure("text and numbers can be encoded")
    }
    return data
  }

  /// - Throws: `.damaged` if this is no summary.
  init(decoding data: Data) throws(OutboxError) {
    guard let coded = try? JSONDecoder().decode(Coded.self, from: data) else {
      throw OutboxError(
        .damaged, "the summary of a stored request cannot be read; its bytes have changed since it was stored"
      )
    }
    method = ErrandCore.Method(coded.m)
    url = coded.u
    idempotencyKey = coded.i
    body = coded.k
    bodyLength = coded.l
  }
}

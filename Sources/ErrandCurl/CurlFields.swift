import CCurl
import ErrandCore

/// The header fields of a request as libcurl's list, which it reads during the transfer and does not copy.
final class CurlFields {
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  private let fields: HTTPFields
  private let added: Added

  /// The reasons for the fields that are added to those of a request.
  private struct Added: Equatable {
    let acceptsCodings: Bool
    let mayHaveBody: Bool

    init(_ request: Exchange.Request) {
      acceptsCodings = request.decodesContent
      if case .none = request.upload, request.method == .get || request.method == .head {
        mayHaveBody = false
      } else {
        mayHaveBody = true
      }
    }
  }

  init(_ request: Exchange.Request) {
    fields = request.fields
    added = Added(request)
    for field in fields { add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)") }
    if !fields.contains("Accept-Encoding") {
      // A part of a coded body cannot be decoded.
      let acceptsCodings = added.acceptsCodings && !fields.contains("Range")
      add("Accept-Encoding: \(acceptsCodings ? ContentCoding.offered : "identity")")
    }
    // libcurl adds none of these to a GET or HEAD.
    guard added.mayHaveBody else { return }
    if !fields.contains("Expect") { add("Expect:") }
    if !fields.contains("Content-Type") { add("Content-Type:") }
  }

  deinit { curl_slist_free_all(list) }

  private func add(_ line: String) { list = line.withCString { curl_slist_append(list, $0) } }

  /// True if one of them is secret: then the list is of one transfer only.
  var areSecret: Bool { fields.contains(where: \.isSecret) }

  /// True if the list is the one that this request would have.
  func are(of request: Exchange.Request) -> Bool {
    added == Added(request) && fields.areWritten(as: request.fields)
  }
}

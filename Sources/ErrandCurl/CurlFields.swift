import CCurl
import ErrandCore

/// The header fields of a request as a list for libcurl, which reads the list during the transfer and does
/// not copy it.
final class CurlFields {
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  private let fields: HTTPFields
  private let added: Added

  /// The reasons for the fields that are added to a request.
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

  /// - Parameter omitted: The names of fields that are not sent.
  init(_ request: Exchange.Request, without omitted: [String]) {
    fields = request.fields
    added = Added(request)
    for field in fields { add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)") }
    // Without a value, the line keeps libcurl from adding the field.
    for name in omitted where !fields.contains(name) { add("\(name):") }
    func adds(_ name: String) -> Bool {
      !fields.contains(name) && !omitted.contains { ASCII.equalIgnoringCase($0, name) }
    }
    if adds("Accept-Encoding") {
      add("Accept-Encoding: \(ContentCoding.accepted(with: fields, decodes: added.acceptsCodings))")
    }
    // libcurl adds none of these to a GET or HEAD.
    guard added.mayHaveBody else { return }
    if adds("Expect") { add("Expect:") }
    if adds("Content-Type") { add("Content-Type:") }
  }

  deinit { curl_slist_free_all(list) }

  private func add(_ line: String) { list = line.withCString { curl_slist_append(list, $0) } }

  /// True if a field is secret. Then only one transfer may use the list.
  var areSecret: Bool { fields.contains(where: \.isSecret) }

  /// Returns true if this request would have the same list.
  func are(of request: Exchange.Request) -> Bool {
    added == Added(request) && fields.areWritten(as: request.fields)
  }
}

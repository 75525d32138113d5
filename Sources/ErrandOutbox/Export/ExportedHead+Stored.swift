import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ExportedHead {
  init(_ row: OutboxRow, _ request: StoredRequest) {
    id = row.id.rawValue
    lane = row.lane
    priority = "\(Priority(rawValue: UInt8(clamping: row.priority)) ?? .default)"
    created = Date(milliseconds: row.created).exported
    expires = row.expires.map { Date(milliseconds: $0).exported }
    state = "\(row.state)"
    reason = row.reason
    method = request.method.rawValue
    url = request.url
    fields = request.fields.map { [$0.name, $0.value] }
    idempotencyKey = RequestSummary(request, shownURL: "").idempotencyKey
    contentType = request.body.contentType
    body = request.body.kind
    segments = request.body.segments.map { segment in
      switch segment {
      case .bytes(let data): .bytes(Int64(data.count))
      case .file(_, let length): .file(length)
      }
    }
    options = request.options == StoredOptions(RequestOptions()) ? nil : request.options
  }

  /// Returns the request without its body.
  func request() throws(ImportFault) -> Request {
    var fields = HTTPFields()
    for field in self.fields {
      guard field.count == 2 else { throw ImportFault("a field is a name and a value") }
      fields.append(field[0], field[1])
    }
    var request = Request(ErrandCore.Method(method), url, fields: fields)
    if !fields.contains("Idempotency-Key"), !idempotencyKey.isEmpty {
      request = request.idempotencyKey(idempotencyKey)
    }
    if let options {
      guard let options = options.options else { throw ImportFault("its options make no sense") }
      request.options = options
    }
    guard let priority = Priority.allCases.first(where: { "\($0)" == priority }) else {
      throw ImportFault("there is no priority \(priority.debugDescription)")
    }
    request.options.priority = priority
    return request
  }

  /// Returns when the request expires, in milliseconds since 1970; nil if it does not.
  func expiry() throws(ImportFault) -> Int64? {
    guard let expires else { return nil }
    guard let date = Date(exported: expires) else {
      throw ImportFault("\(expires.debugDescription) is no time when it expires")
    }
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return Int64(min(max(milliseconds, 0), Double(Int64(1) << 53)))
  }

  /// Checks that a body can have these segments.
  /// - Throws: If none can, or if the id is empty.
  func checkBody() throws(ImportFault) {
    guard !id.isEmpty else { throw ImportFault("it has no id") }
    guard body.canConsist(ofSegments: segments.count) else {
      throw ImportFault("a body of the kind \(body.rawValue) does not consist of \(segments.count) segments")
    }
    var total: Int64 = 0
    for segment in segments {
      guard segment.length >= 0, segment.length <= StoredBody.longest - total else {
        throw ImportFault("no body has \(segment.length) bytes")
      }
      total += segment.length
    }
  }
}

extension Date {
  private static let precise = ISO8601FormatStyle(includingFractionalSeconds: true)

  fileprivate var exported: String { formatted(Self.precise) }

  fileprivate init?(exported text: String) {
    guard let date = (try? Self.precise.parse(text)) ?? (try? ISO8601FormatStyle().parse(text)) else {
      return nil
    }
    self = date
  }
}

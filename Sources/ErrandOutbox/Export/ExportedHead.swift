import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An exported request, without the bytes of its body.
struct ExportedHead: Sendable, Hashable, Codable {
  static let version = 1

  /// The length of a piece of the body, and whether the piece was stored in a file. The bytes follow in
  /// separate lines.
  enum Segment: Sendable, Hashable {
    case bytes(Int64)
    case file(Int64)

    var length: Int64 {
      switch self {
      case .bytes(let length), .file(let length): length
      }
    }
  }

  var version = Self.version
  var id: String
  var lane: String?
  /// The name of the priority.
  var priority: String
  /// When the request was stored. All times are in ISO 8601.
  var created: String
  var expires: String?
  /// When the first attempt may begin.
  var notBefore: String?
  var state: String
  /// Why the last attempt failed, or why the request was moved to the dead letters.
  var reason: String?
  var method: String
  var url: String
  /// Names and values of the header fields, in order.
  var fields: [[String]]
  var idempotencyKey: String
  var contentType: String?
  /// The kind of body.
  var body: StoredBody.Kind
  var segments: [Segment]
  /// The options that were set; nil if no option was set.
  var options: StoredOptions?

  enum CodingKeys: String, CodingKey {
    case version = "errand-outbox"
    case id, lane, priority, created, expires, notBefore, state, reason, method, url, fields, idempotencyKey,
      contentType
    case body, segments, options
  }

  /// The number of bytes of the body.
  var length: Int64 { segments.reduce(0) { $0 + $1.length } }
}

extension ExportedHead.Segment: Codable {
  private enum Key: String, CodingKey {
    case bytes, file
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .bytes(let length): try container.encode(length, forKey: .bytes)
    case .file(let length): try container.encode(length, forKey: .file)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let length = try container.decodeIfPresent(Int64.self, forKey: .bytes) {
      self = .bytes(length)
    } else {
      self = .file(try container.decode(Int64.self, forKey: .file))
    }
  }
}

extension ExportedHead {
  init(_ row: OutboxRow, _ request: StoredRequest) {
    id = row.id.rawValue
    lane = row.lane
    priority = "\(Priority(rawValue: UInt8(clamping: row.priority)) ?? .default)"
    created = Date(milliseconds: row.created).exported
    expires = row.expires.map { Date(milliseconds: $0).exported }
    // After an attempt, `due` is the time of the next one. An import attempts the request at once.
    notBefore = row.attempts > 0 ? nil : row.due.map { Date(milliseconds: $0).exported }
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
      guard field.count == 2 else { throw ImportFault("a header field has to be a name and a value") }
      fields.append(field[0], field[1])
    }
    var request = Request(HTTPMethod(method), url, fields: fields)
    if !fields.contains("Idempotency-Key"), !idempotencyKey.isEmpty {
      request = request.idempotencyKey(idempotencyKey)
    }
    if let options {
      guard let options = options.options else { throw ImportFault("its options have invalid values") }
      request.options = options
    }
    guard let priority = Priority.allCases.first(where: { "\($0)" == priority }) else {
      throw ImportFault("\(priority.debugDescription) is not a priority")
    }
    request.options.priority = priority
    return request
  }

  /// Returns when the request expires, in milliseconds since 1970; nil if it does not expire.
  func expiry() throws(ImportFault) -> Int64? {
    guard let expires else { return nil }
    guard let date = Date(exported: expires) else {
      throw ImportFault("the time \(expires.debugDescription) of its expiry is not in ISO 8601")
    }
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return Int64(min(max(milliseconds, 0), Double(Int64(1) << 53)))
  }

  /// Returns when the first attempt may begin; nil for at once.
  func begin() throws(ImportFault) -> Date? {
    guard let notBefore else { return nil }
    guard let date = Date(exported: notBefore) else {
      throw ImportFault("the time \(notBefore.debugDescription) of its first attempt is not in ISO 8601")
    }
    return date
  }

  /// Checks that the body can have these segments.
  /// - Throws: If it cannot, or if the id is empty.
  func checkBody() throws(ImportFault) {
    guard !id.isEmpty else { throw ImportFault("it has no id") }
    guard body.canConsist(ofSegments: segments.count) else {
      throw ImportFault("a body of the kind \(body.rawValue) cannot have \(segments.count) segments")
    }
    var total: Int64 = 0
    for segment in segments {
      guard segment.length >= 0, segment.length <= StoredBody.longest - total else {
        throw ImportFault("a segment of its body cannot have \(segment.length) bytes")
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

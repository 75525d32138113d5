#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The single range of bytes that a request asks for (RFC 9110, section 14.1.2). Pure.
struct ByteRange: Sendable, Hashable {
  private enum Kind: Hashable {
    case from(Int64, through: Int64?)
    case suffix(Int64)
  }

  private let kind: Kind

  /// Returns nil for several ranges, another unit, or a malformed field.
  init?(_ fields: HTTPFields) {
    guard let ends = fields.endsOfRange else { return nil }
    let (first, last) = (ASCII.wholeNumber(ends.first), ASCII.wholeNumber(ends.last))
    switch (first, last) {
    case (let first?, let last?) where first <= last && last < .max: kind = .from(first, through: last)
    case (let first?, nil) where ends.last.isEmpty: kind = .from(first, through: nil)
    case (nil, let length?) where ends.first.isEmpty && length > 0: kind = .suffix(length)
    default: return nil
    }
  }

  /// Returns the positions of the range in a content of this length; nil if the content has none of them.
  func positions(in length: Int64) -> Range<Int64>? {
    switch kind {
    case .from(let first, let last):
      guard first < length else { return nil }
      return first..<min((last ?? length - 1) + 1, length)
    case .suffix(let count): return length == 0 ? nil : max(0, length - count)..<length
    }
  }
}

extension CachedResponse {
  /// Returns the part of the response that a request with `Range` gets: a 206; nil if the response does not contain
  /// it. Without a range to serve, it returns the complete response, and nil for an incomplete one.
  func part(for request: HTTPFields) -> CachedResponse? {
    let part = exchange?.part
    let isAsked = request.contains("Range") && (status == 200 || part != nil) && isMeant(byIfRange: request)
    // The stored body is decoded, and ranges are of the coded one.
    if isAsked, ResponseHead(status: status, fields: fields).isCoded { return nil }
    guard isAsked, let range = ByteRange(request) else { return part == nil && !isAsked ? self : nil }
    let (start, total) = (part?.start ?? 0, part?.total ?? body.count)
    guard let asked = range.positions(in: total), asked.lowerBound >= start,
      asked.upperBound <= start + body.count
    else { return nil }
    var fields = fields
    fields.set("Content-Range", "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(total)")
    fields.set("Content-Length", "\(asked.count)")
    var copy = CachedResponse(
      status: 206, lasting: fields, body: body.part(asked.lowerBound - start..<asked.upperBound - start),
      url: url,
      date: date, secrets: .standard)
    copy.exchange = exchange
    return copy
  }

  /// Returns false if `If-Range` names another version, so that the request gets all of this one.
  private func isMeant(byIfRange request: HTTPFields) -> Bool {
    guard let wanted = request["If-Range"] else { return true }
    if IfRange.isStrongTag(wanted) { return fields["ETag"].map { ASCII.areSame($0, wanted) } ?? false }
    return fields["Last-Modified"].map { ASCII.areSame($0, wanted) } ?? false
  }

  /// Returns this response, completed or extended by another part of the same version (RFC 9111, section 3.4); nil if
  /// they do not fit together.
  func combined(with other: CachedResponse) -> CachedResponse? {
    guard let part = other.exchange?.part, other.hasStrongTag, hasStrongTag,
      ASCII.areSame(fields["ETag"] ?? "", other.fields["ETag"] ?? "")
    else { return nil }
    let fields = merged(with: other.fields)
    guard let own = exchange?.part else {
      // The complete response has the part already.
      return part.total == body.count ? completed(fields, body, nil, from: other) : nil
    }
    let (first, second) = own.start <= part.start ? (self, other) : (other, self)
    let (start, next) = (min(own.start, part.start), max(own.start, part.start))
    let overlap = start + first.body.count - next
    // Parts in files are too large to be joined in memory.
    guard own.total == part.total, overlap >= 0, let beginning = first.body.inMemory,
      let rest = second.body.inMemory
    else { return nil }
    let data = beginning + rest.dropFirst(Int(min(overlap, Int64(rest.count))))
    let isWhole = start == 0 && Int64(data.count) == own.total
    return completed(
      fields, CachedBody(data), isWhole ? nil : CachedExchange.Part(start: start, total: own.total),
      from: other)
  }

  private func completed(
    _ fields: HTTPFields, _ body: CachedBody, _ part: CachedExchange.Part?, from newer: CachedResponse
  ) -> CachedResponse {
    var fields = fields
    if part == nil {
      fields.remove("Content-Range")
      fields.set("Content-Length", "\(body.count)")
    }
    var copy = CachedResponse(
      status: part == nil ? 200 : 206, lasting: fields, body: body, url: url, date: newer.date,
      secrets: .standard)
    copy.exchange = newer.exchange
    copy.exchange?.part = part
    return copy
  }
}

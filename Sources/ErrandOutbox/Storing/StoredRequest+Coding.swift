import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A stored request is one piece of data:
///
/// | bytes | |
/// |---|---|
/// | 1 | version |
/// | 4 | length of the head, little-endian |
/// | … | the head: JSON |
/// | … | the bytes of the body that are in no file, one piece behind the other |
extension StoredRequest {
  private static let version: UInt8 = 1
  private static let prefixLength = 5

  /// What the head says. The names are short because every request on disk has them.
  private struct Head: Codable {
    struct Segment: Codable {
      /// The file's name; nil for bytes that follow the head.
      var n: String?
      var l: Int64
    }

    var m: String
    var u: String
    /// Names and values in turn.
    var f: [String]
    var k: StoredBody.Kind
    var t: String?
    var s: [Segment]
    var o: StoredOptions
  }

  func encoded() -> Data {
    let segments = body.segments.map { segment in
      switch segment {
      case .bytes(let data): Head.Segment(n: nil, l: Int64(data.count))
      case .file(let name, let length): Head.Segment(n: name, l: length)
      }
    }
    let head = Head(
      m: method.rawValue, u: url, f: fields.flatMap { [$0.name, $0.value] }, k: body.kind,
      t: body.contentType, s: segments, o: options)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(head) else { preconditionFailure("text and numbers can be encoded") }
    var data = Data([Self.version])
    for shift in stride(from: 0, to: 32, by: 8) {
      data.append(UInt8(truncatingIfNeeded: json.count >> shift))
    }
    data += json
    for case .bytes(let bytes) in body.segments { data += bytes }
    return data
  }

  /// - Throws: `.damaged` if this is no stored request, `.tooNew` if it is one of a later version.
  init(decoding data: Data) throws(OutboxError) {
    let data = Data(data)
    guard data.count >= Self.prefixLength else { throw Self.damaged }
    guard data[0] == Self.version else {
      throw data[0] > Self.version
        ? OutboxError(.tooNew, "a later version of Errand stored this request") : Self.damaged
    }
    let headLength = data[1..<Self.prefixLength].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard headLength <= data.count - Self.prefixLength,
      let head = try? JSONDecoder().decode(
        Head.self, from: data[Self.prefixLength..<Self.prefixLength + headLength]),
      head.f.count.isMultiple(of: 2)
    else { throw Self.damaged }
    method = ErrandCore.Method(head.m)
    url = head.u
    fields = HTTPFields()
    for index in stride(from: 0, to: head.f.count, by: 2) { fields.append(head.f[index], head.f[index + 1]) }
    options = head.o
    let segments = try Self.segments(head.s, in: data.dropFirst(Self.prefixLength + headLength))
    body = StoredBody(kind: head.k, contentType: head.t, segments: segments)
    guard body.isWellFormed, options.options != nil else { throw Self.damaged }
  }

  /// No body is longer, so that sums of lengths never overflow.
  private static let longestBody: Int64 = 1 << 60

  private static func segments(
    _ described: [Head.Segment], in bytes: Data
  ) throws(OutboxError) -> [StoredBody.Segment] {
    var rest = bytes
    var total: Int64 = 0
    var segments: [StoredBody.Segment] = []
    for segment in described {
      guard segment.l >= 0, segment.l <= longestBody - total else { throw damaged }
      total += segment.l
      if let name = segment.n {
        guard ContentFileName.isContent(name) else { throw damaged }
        segments.append(.file(name: name, length: segment.l))
      } else {
        guard segment.l <= Int64(rest.count) else { throw damaged }
        segments.append(.bytes(Data(rest.prefix(Int(segment.l)))))
        rest = rest.dropFirst(Int(segment.l))
      }
    }
    guard rest.isEmpty else { throw damaged }
    return segments
  }

  private static var damaged: OutboxError {
    OutboxError(.damaged, "the stored request cannot be read; its bytes have changed since it was stored")
  }
}

extension StoredBody {
  fileprivate var isWellFormed: Bool {
    switch kind {
    case .none: segments.isEmpty
    case .bytes: segments.count <= 1
    case .file: segments.count == 1
    case .multipart: true
    }
  }
}

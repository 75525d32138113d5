#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of a cached response's file except the body.
struct CacheFileHead: Sendable, Hashable {
  let name: String
  let partition: String
  let status: Int
  let url: String
  /// Seconds since Foundation's reference date. They are read back exactly as they were written.
  let date: Double
  /// Names and values, alternating.
  let fields: [String]
  let variant: Int
  /// Nil for a response that was cached under a name.
  let exchange: CachedExchange?

  init(_ response: CachedResponse, under key: CacheKey) {
    name = key.name
    variant = key.variant
    exchange = response.exchange
    partition = key.partition.description
    status = response.status.code
    url = response.url.absoluteString
    date = response.date.timeIntervalSinceReferenceDate
    fields = response.fields.flatMap { [$0.name, $0.value] }
  }

  func key() throws(CacheFileFault) -> CacheKey {
    guard let partition = CachePartition(partition) else { throw .damaged }
    return CacheKey(name, partition: partition).variant(variant)
  }

  func response(with body: CachedBody) throws(CacheFileFault) -> CachedResponse {
    guard let url = URL(string: url), fields.count.isMultiple(of: 2) else { throw .damaged }
    var lines = HTTPFields()
    for index in stride(from: 0, to: fields.count, by: 2) { lines.append(fields[index], fields[index + 1]) }
    var response = CachedResponse(
      status: HTTPStatus(status), lasting: lines, body: body, url: url,
      date: Date(timeIntervalSinceReferenceDate: date), secrets: .standard)
    response.exchange = exchange
    return response
  }
}

/// The head as bytes: a list of texts, each after its length in four bytes.
extension CacheFileHead {
  private static let fixedTexts = 13

  /// Returns the bytes, padded so that what follows begins at a multiple of `alignment`.
  /// - Parameter start: The position of the first byte. Default: 0.
  func bytes(after start: Int = 0, alignment: Int = 1) -> Data {
    guard alignment > 1 else { return bytes(padding: "") }
    let missing = (start + bytes(padding: "").count) % alignment
    return bytes(padding: String(repeating: " ", count: missing == 0 ? 0 : alignment - missing))
  }

  private func bytes(padding: String) -> Data {
    let part = exchange?.part
    var texts = [
      name, partition, "\(status)", url, "\(date.bitPattern)", "\(variant)", exchange == nil ? "0" : "1",
      "\((exchange?.initialAge ?? 0).bitPattern)", exchange?.isInvalid == true ? "1" : "0",
      part.map { "\($0.start)" } ?? "", part.map { "\($0.total)" } ?? "",
      "\(exchange?.selecting.count ?? 0)", padding,
    ]
    for values in exchange?.selecting ?? [] {
      texts.append("\(values.count)")
      texts += values.map { $0.map { "+\($0)" } ?? "-" }
    }
    var bytes = Data()
    for text in texts + fields {
      var text = text
      text.withUTF8 { utf8 in
        unsafe withUnsafeBytes(of: UInt32(utf8.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe bytes.append(contentsOf: utf8)
      }
    }
    return bytes
  }

  /// Returns nil unless these are the bytes of a head.
  init?(_ bytes: Data) {
    guard var texts = Self.texts(in: [UInt8](bytes))?[...], texts.count >= Self.fixedTexts else { return nil }
    let fixed = Array(texts.prefix(Self.fixedTexts))
    texts = texts.dropFirst(Self.fixedTexts)
    guard let status = Int(fixed[2]), let date = UInt64(fixed[4]), let variant = Int(fixed[5]),
      let age = UInt64(fixed[7]), let count = Int(fixed[11])
    else { return nil }
    var selecting: [[String?]] = []
    for _ in 0..<max(0, count) {
      guard let length = texts.popFirst().flatMap({ Int($0) }), 0...texts.count ~= length else { return nil }
      selecting.append(texts.prefix(length).map { $0 == "-" ? nil : String($0.dropFirst()) })
      texts = texts.dropFirst(length)
    }
    (name, partition, self.status, url) = (fixed[0], fixed[1], status, fixed[3])
    (self.date, self.variant) = (Double(bitPattern: date), variant)
    var exchange = fixed[6] == "1" ? CachedExchange(initialAge: Double(bitPattern: age)) : nil
    exchange?.isInvalid = fixed[8] == "1"
    exchange?.selecting = selecting
    if let start = Int64(fixed[9]), let total = Int64(fixed[10]) {
      exchange?.part = CachedExchange.Part(start: start, total: total)
    }
    guard 100..<1000 ~= status, self.date.isFinite, (exchange?.initialAge ?? 0).isFinite,
      0...1e12 ~= exchange?.initialAge ?? 0, abs(self.date) < 1e12
    else { return nil }
    self.exchange = exchange
    fields = Array(texts)
  }

  private static func texts(in bytes: [UInt8]) -> [String]? {
    var texts: [String] = []
    var index = 0
    while index < bytes.count {
      guard index + 4 <= bytes.count else { return nil }
      let length = Int(CacheFilePrefix.number(bytes[index..<index + 4]))
      index += 4
      guard length <= bytes.count - index else { return nil }
      texts.append(String(decoding: bytes[index..<index + length], as: UTF8.self))
      index += length
    }
    return texts
  }
}

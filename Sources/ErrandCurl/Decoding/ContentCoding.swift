import ErrandCore

/// A coding of `Content-Encoding` (RFC 9110, section 8.4.1) that can be decoded.
enum ContentCoding: String, Sendable, Hashable {
  case gzip, deflate, br, zstd

  /// The value of `Accept-Encoding`: the codings whose decoders are linked.
  static let offered = "gzip, deflate, br, zstd"

  /// Returns the codings of a body in the order in which they were applied; `identity` is omitted.
  ///
  /// An unknown coding is refused, as libcurl does and unlike browsers, which show the body as it is: a
  /// caller would take the coded bytes for the content. So are more than `limit` codings: each takes memory,
  /// and servers do not use them.
  static func list(_ fields: HTTPFields) throws(DecodingFailure) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    for value in fields.values(of: "Content-Encoding") {
      for part in value.split(separator: ",") {
        let name = ASCII.lowercased(ASCII.trimmed(part))
        switch name {
        case "", "identity", "none": continue
        case "x-gzip": codings.append(.gzip)
        default:
          guard let coding = ContentCoding(rawValue: name) else {
            throw DecodingFailure("its coding \(name.prefix(40)) is not known")
          }
          codings.append(coding)
        }
      }
    }
    guard codings.count <= limit else { throw DecodingFailure("it has more than \(limit) codings") }
    return codings
  }

  private static let limit = 3

  func makeDecoder() throws(DecodingFailure) -> any CodingDecoder {
    switch self {
    case .gzip: try ZlibDecoder(.gzip)
    case .deflate: DeflateDecoder()
    case .br: try BrotliDecoder()
    case .zstd: try ZstdDecoder()
    }
  }
}

/// The reason why a body cannot be decoded, as the end of a sentence about the body.
struct DecodingFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

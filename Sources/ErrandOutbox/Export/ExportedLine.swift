#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One exported line: a request, or some bytes of the body of the preceding request.
enum ExportedLine: Sendable {
  case head(ExportedHead)
  case piece(ExportedPiece)

  /// Returns the line with its line feed.
  func encoded() -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json: Data?
    switch self {
    case .head(let head): json = try? encoder.encode(head)
    case .piece(let piece): json = try? encoder.encode(piece)
    }
    guard let json else { preconditionFailure("text and numbers can be encoded") }
    return json + Data("\n".utf8)
  }

  /// Decodes a line.
  /// - Parameter line: The line without its line feed.
  init(decoding line: Data) throws(ImportFault) {
    do {
      let decoder = JSONDecoder()
      let kind = try decoder.decode(Kind.self, from: line)
      switch (kind.version, kind.of) {
      case (ExportedHead.version?, nil): self = .head(try decoder.decode(ExportedHead.self, from: line))
      case (let version?, nil):
        throw ImportFault(
          "another version of Errand exported it (format \(version), not \(ExportedHead.version)); import it with that version"
        )
      case (nil, _?): self = .piece(try decoder.decode(ExportedPiece.self, from: line))
      default: throw ImportFault("it is neither a request nor a piece of a body")
      }
    } catch let fault as ImportFault {
      throw fault
    } catch {
      throw ImportFault("it is not an exported line: \(Self.complaint(error))")
    }
  }

  /// The keys that distinguish the two kinds of line.
  private struct Kind: Decodable {
    var version: Int?
    var of: String?

    enum CodingKeys: String, CodingKey {
      case version = "errand-outbox"
      case of
    }
  }

  /// Returns a short message that does not quote the line, because the line may contain a secret.
  private static func complaint(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\(place(context)) has the wrong type"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\(place(context)) has an invalid value"
    default: "it is not a JSON object"
    }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    context.codingPath.isEmpty ? "it" : context.codingPath.map(\.stringValue).joined(separator: ".")
  }
}

/// Exported bytes of a body, in base64.
struct ExportedPiece: Sendable, Hashable, Codable {
  /// The request's id.
  var of: String
  /// The index of the segment that the bytes belong to, from 0. They follow the bytes of the lines before.
  var segment: Int
  var bytes: Data

  /// The most bytes in one line, so that neither export nor import holds more of a large file in memory. It
  /// is a multiple of 3, so that base64 needs no padding.
  static let longest = 192 << 10
}

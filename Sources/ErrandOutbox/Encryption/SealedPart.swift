#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The kind and the owner of an encrypted piece, which are authenticated: no piece decrypts in the place of
/// another.
struct SealedPart: Sendable, Hashable, CustomStringConvertible {
  private let name: String
  private let owner: String

  static func summary(of id: OutboxID) -> SealedPart { SealedPart(name: "summary", owner: id.rawValue) }
  static func content(of id: OutboxID) -> SealedPart { SealedPart(name: "content", owner: id.rawValue) }
  static func response(of id: OutboxID) -> SealedPart { SealedPart(name: "answer", owner: id.rawValue) }

  /// - Parameter index: The index of the file among the request's files.
  static func file(_ index: Int, of id: OutboxID) -> SealedPart {
    SealedPart(name: "file \(index)", owner: id.rawValue)
  }

  /// The part of an origin that may be shown.
  static func origin(_ name: String) -> SealedPart { SealedPart(name: "origin", owner: name) }

  static let keyCheck = SealedPart(name: "key check", owner: "")

  /// The data that is authenticated with the piece.
  var context: Data { Data("errand outbox 1\0\(name)\0\(owner)".utf8) }

  var description: String { owner.isEmpty ? name : "\(name) of the request \(owner)" }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a sealed piece is and whose: no piece opens in the place of another.
struct SealedPart: Sendable, Hashable, CustomStringConvertible {
  private let name: String
  private let owner: String

  static func summary(of id: OutboxID) -> SealedPart { SealedPart(name: "summary", owner: id.rawValue) }
  static func content(of id: OutboxID) -> SealedPart { SealedPart(name: "content", owner: id.rawValue) }
  static func answer(of id: OutboxID) -> SealedPart { SealedPart(name: "answer", owner: id.rawValue) }

  /// - Parameter index: Which of the request's pieces it holds.
  static func file(_ index: Int, of id: OutboxID) -> SealedPart {
    SealedPart(name: "file \(index)", owner: id.rawValue)
  }

  /// What may be shown of an origin.
  static func origin(_ name: String) -> SealedPart { SealedPart(name: "origin", owner: name) }

  static let keyCheck = SealedPart(name: "key check", owner: "")

  /// Authenticated with the piece.
  var context: Data { Data("errand outbox 1\0\(name)\0\(owner)".utf8) }

  var description: String { owner.isEmpty ? name : "\(name) of the request \(owner)" }
}

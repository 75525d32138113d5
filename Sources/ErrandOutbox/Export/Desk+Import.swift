import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Desk {
  /// Returns the draft of a request to import, without its body.
  /// - Throws: If `enqueue` would refuse the request.
  func draft(of head: ExportedHead) throws(ImportFault) -> RowDraft {
    let request = try head.request()
    do {
      // The body is still to come, but its content type is checked like any other header field.
      let typed = head.contentType.map { request.body(.bytes(Data(), contentType: $0)) } ?? request
      try typed.checkStorable(hiding: secrets)
    } catch {
      throw ImportFault(error.message, code: error.code)
    }
    var draft = draft(OutboxID(rawValue: head.id), request, lane: head.lane)
    draft.expires = try head.expiry()
    draft.body = BodyPieces(kind: head.body, contentType: head.contentType, segments: [])
    return draft
  }

  /// True if anything is known of the request, even if it is over.
  func isKnown(_ id: OutboxID) async throws -> Bool { try await store.rows([id])[0] != nil }
}

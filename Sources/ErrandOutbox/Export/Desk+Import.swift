import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Desk {
  /// A request that is imported, its body still to come. What could not be enqueued is refused.
  func draft(of head: ExportedHead) throws(ImportFault) -> RowDraft {
    let request = try head.request()
    do {
      // Its body is still to come, but what it is called is a field like any other.
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

  /// True if anything is known of it, be it over or not.
  func isKnown(_ id: OutboxID) async throws -> Bool { try await store.rows([id])[0] != nil }
}

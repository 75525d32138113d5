import ErrandCore
import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Converts the calls of an inspector to a HAR 1.2 file, with an entry for each sent request as in `HARRecorder`.
enum InspectorHAR {
  static func file(_ calls: [CallRecord]) -> Data {
    let sharing = Dictionary(grouping: calls.filter { $0.shares != nil }) { $0.shares ?? 0 }
    return HARFile.whole(calls.flatMap { entries(of: $0, sharedBy: sharing[$0.id]?.map(\.id) ?? []) })
  }

  private static func entries(of call: CallRecord, sharedBy: [UInt64]) -> [HAREntry] {
    call.exchanges.enumerated().map { index, exchange in
      let step = exchange.step
      let isLast = index == call.exchanges.count - 1
      let body = exchange.body?.shown ?? (isLast ? call.received?.shown : nil)
      let sent = call.sent.map { HAREntry.PostData(exchange.request, $0.shown) }
      return HAREntry(
        step, exchange.request, sent: exchange.request.method == call.request.method ? sent : nil,
        exchange.response.map {
          HAREntry.Response(
            status: $0.status, fields: $0.fields, body: body, length: body?.length,
            received: isLast && !call.isCached ? call.bytes : nil, isCached: call.isCached)
        },
        version: exchange.version, isCached: call.isCached,
        HAREntry.Facts(
          step, call: call.id, purpose: call.purpose, scope: call.scopes.last, cache: call.cache,
          sharedBy: sharedBy))
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Transfer {
  /// A response that is not validated yet.
  final class Received: Sendable {
    let head: ResponseHead
    /// The head that the validator is given.
    let judged: ResponseHead
    let metrics: TransferMetrics
    let body: ResponseBody
    /// The length of the body, or nil for a stream.
    let length: Int64?

    init(
      _ result: TransferResult, _ receiver: Receiver, _ body: ResponseBody, length: Int64?
    ) {
      head = result.head
      judged = receiver.judged(result.head)
      metrics = result.metrics
      self.body = body
      self.length = length
    }
  }
}

extension Transfer.Received {
  /// The first part of the body, for an error that rejects it.
  var prefix: Data { body.prefix }
}

extension ResponseBody {
  /// The first part of the body, at most 64 KiB; empty for a stream.
  var prefix: Data {
    let limit = RequestError.Rejection.prefixLimit
    switch self {
    case .data(let data): return data.prefix(limit)
    case .chunks: return Data()
    case .file(let url): return (try? FileDescriptor(reading: url.path).read(limit, at: 0)) ?? Data()
    }
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A collector's response to a request that it has accepted completely or in part.
struct OTLPReply: Decodable {
  private struct Part: Decodable {
    /// A string, as 64-bit integers are in protobuf's JSON; some collectors write a number.
    let rejectedSpans: Number?
  }

  private struct Number: Decodable {
    let value: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let text = try? container.decode(String.self)
      value = try text.map { Int($0) ?? 0 } ?? container.decode(Int.self)
    }
  }

  private let partialSuccess: Part?

  /// Returns the number of spans that the collector has rejected; 0 if it does not report any.
  static func rejected(in response: Response) -> Int {
    guard let reply = try? JSONDecoder().decode(OTLPReply.self, from: response.data) else { return 0 }
    return max(0, reply.partialSuccess?.rejectedSpans?.value ?? 0)
  }
}

extension OTLPReply {
  /// The statuses with which a collector says that the same request may succeed later.
  private static let temporary: Set<Int> = [429, 502, 503, 504]
  /// The failures of a request that reached no collector, or got no response.
  private static let lost: Set<RequestError.Code> = [
    .timedOut, .deadlineExceeded, .cannotResolveHost, .cannotConnect, .connectionLost,
  ]

  /// Returns the result of a request that has failed.
  static func outcome(of error: any Error) -> OTLPState.Outcome {
    guard let error = error as? RequestError else { return .refused("\(error)") }
    let isTemporary = error.status.map { temporary.contains($0.code) } ?? lost.contains(error.code)
    let reason =
      error.status == nil
      ? "they did not reach the collector (\(error))" : "the collector does not accept them (\(error))"
    return isTemporary ? .unavailable(reason, after: error.retryAfter) : .refused(reason)
  }
}

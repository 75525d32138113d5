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

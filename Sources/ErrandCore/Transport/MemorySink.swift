#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Holds the body in memory, up to a limit.
final class MemorySink: WholeBodySink, CountedSink {
  /// The effect of a body that exceeds the limit.
  enum Overflow: Sendable {
    /// The attempt fails: the body is larger than the limit.
    case tooLarge(ResponseHead)
    /// The attempt fails: the response is rejected anyway, and its error needs only the bytes in memory.
    case rejected(RequestError.Rejection, ResponseHead)
    /// The attempt ends: only the head is needed.
    case enough(ResponseHead)
  }

  /// Thrown when the body exceeds the limit and only the head is needed.
  struct HeadIsEnough: Error {
    let head: ResponseHead
  }

  let limit: Int
  private let overflow: Overflow
  private let kept = Locked(Data())

  init(limit: Int, overflow: Overflow) {
    // A limit that comes from an outbox's file may be any number.
    self.limit = max(0, limit)
    self.overflow = overflow
  }

  func write(_ chunk: Data) throws -> SinkSignal {
    let full: Data? = kept.withLock { data in
      if data.count + chunk.count <= limit {
        if data.isEmpty { data = chunk } else { data.append(chunk) }
        return nil
      }
      data.append(chunk.prefix(limit - data.count))
      return data
    }
    guard let full else { return .more }
    switch overflow {
    case .tooLarge(let head): throw Self.tooLarge(limit, head)
    case .rejected(let rejection, let head): throw rejection.error(head.status, head.fields, bodyPrefix: full)
    case .enough(let head): throw HeadIsEnough(head: head)
    }
  }

  static func tooLarge(_ limit: Int, _ head: ResponseHead) -> RequestError {
    RequestError(
      .bodyTooLarge,
      message: "the response is larger than the \(limit) bytes that may be kept in memory; "
        + "raise memoryLimit, or use download(to:) or stream",
      status: head.status, fields: head.fields, reachedServer: true)
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {}

  /// The head of a response whose complete body is not needed; nil if the body is needed.
  var head: ResponseHead? {
    switch overflow {
    case .tooLarge: nil
    case .rejected(_, let head), .enough(let head): head
    }
  }

  var received: Int64 { kept.withLock { Int64($0.count) } }

  /// Returns the body, and releases it.
  func take() -> Data {
    kept.withLock { data in
      defer { data = Data() }
      return data
    }
  }
}

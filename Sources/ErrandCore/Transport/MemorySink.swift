#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps the body in memory, up to a limit.
final class MemorySink: BodySink {
  enum Overflow: Sendable {
    /// The try fails with this error, made from what was kept.
    case fail(@Sendable (Data) -> any Error)
    /// The rest is read and thrown away.
    case discard
  }

  private let limit: Int
  private let overflow: Overflow
  private let kept = Locked(Data())

  init(limit: Int, overflow: Overflow) {
    self.limit = limit
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
    if let full, case .fail(let error) = overflow { throw error(full) }
    return .more
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) {}

  func take() -> Data {
    kept.withLock { data in
      defer { data = Data() }
      return data
    }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where the body of an answer goes. A transport writes to it from one thread at a time.
public protocol BodySink: AnyObject, Sendable {
  /// Takes bytes. After `.wait` nothing may be written until `onDrain`'s handler is called.
  /// - Throws: If the bytes cannot be kept. The try then fails with that error.
  func write(_ chunk: Data) throws -> SinkSignal

  /// Sets what is called, on any thread, each time there is room again after a `.wait`.
  func onDrain(_ handler: @escaping @Sendable () -> Void)
}

/// What a sink says after it took bytes.
public enum SinkSignal: Sendable, Hashable {
  case more
  case wait
}

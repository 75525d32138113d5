#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Receives the body of a response. A transport writes to it from one thread at a time.
public protocol BodySink: AnyObject, Sendable {
  /// Writes bytes. After `.wait` nothing may be written until the handler of `onDrain` is called.
  /// - Throws: An error if the bytes cannot be stored. The attempt then fails with it.
  func write(_ chunk: Data) throws -> SinkSignal

  /// Sets the handler that is called, on any thread, each time there is capacity again after a `.wait`.
  func onDrain(_ handler: @escaping @Sendable () -> Void)
}

/// A sink's response to a write: `more` accepts further bytes, `wait` asks for a pause until `onDrain`.
public enum SinkSignal: Sendable, Hashable {
  case more
  case wait
}

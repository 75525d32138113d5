/// How those who share an outbox's file tell each other that something has changed.
package protocol Doorbell: Sendable {
  /// Rings at all others that listen.
  func ring()

  /// From now on, calls `handler` when another rings, on any thread. What rings twice in short order may be heard once.
  func listen(_ handler: @escaping @Sendable () -> Void)

  /// Hears nothing any more.
  func close()
}

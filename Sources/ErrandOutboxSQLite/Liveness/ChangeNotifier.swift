/// Tells the stores that share an outbox's file that one of them has changed it.
package protocol ChangeNotifier: Sendable {
  /// Notifies all other stores that listen.
  func ring()

  /// Calls `handler`, on any thread, when another store calls `ring`. Two rings in quick succession may cause
  /// one call.
  func listen(_ handler: @escaping @Sendable () -> Void)

  /// Stops listening.
  func close()
}

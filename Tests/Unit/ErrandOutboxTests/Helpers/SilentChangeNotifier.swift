import ErrandOutbox
import ErrandOutboxSQLite

/// A change notifier that notifies no process.
struct SilentChangeNotifier: ChangeNotifier {
  func ring() {}
  func listen(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}

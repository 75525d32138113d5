import ErrandOutbox

/// Nobody hears it.
struct SilentDoorbell: Doorbell {
  func ring() {}
  func listen(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}

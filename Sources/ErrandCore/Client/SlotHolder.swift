/// Says of a task that it runs inside tries of these clients, which have slots. What their interceptors send through the
/// same clients then goes without: or requests that all hold slots could wait for slots for ever.
enum SlotHolder {
  @TaskLocal static var clients: Set<ObjectIdentifier> = []
}

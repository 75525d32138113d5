import ErrandOutbox

/// Finds a stored request by the beginning or the end of its ID.
struct OutboxFinder {
  private static let pageSize = 1000

  let outbox: Outbox

  /// Returns the only request whose ID begins or ends with `name`.
  /// - Throws: `CommandFailure` if no request matches, or more than one.
  func entry(_ name: String) async throws -> OutboxEntry {
    // An empty name would match every ID. A script that has not set `$ID` passes one.
    guard !name.isEmpty else {
      throw CommandFailure(
        .usage, "unknownID", "the ID is empty", hint: "errand outbox list shows the IDs.")
    }
    if let entry = try await outbox.status(of: OutboxID(rawValue: name)) { return entry }
    var found: OutboxEntry?
    for try await entry in outbox.entries(pageSize: Self.pageSize)
    where entry.id.rawValue.hasPrefix(name) || entry.id.rawValue.hasSuffix(name) {
      if let found {
        throw CommandFailure(
          .usage, "ambiguousID", "\(name.debugDescription) matches the IDs of several requests",
          hint: "For example: \(found.id) and \(entry.id). Give more characters of the ID.")
      }
      found = entry
    }
    guard let found else {
      throw CommandFailure(
        .usage, "unknownID", "the outbox has no request \(name.debugDescription)",
        hint: "errand outbox list shows the IDs.")
    }
    return found
  }
}

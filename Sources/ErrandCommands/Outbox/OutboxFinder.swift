import ErrandOutbox

/// Finds a stored request by the beginning or the end of its ID.
struct OutboxFinder {
  private static let pageSize = 1000

  let outbox: Outbox

  /// Returns the request.
  /// - Throws: `CommandFailure` if no request matches, or more than one.
  func entry(_ name: String) async throws -> OutboxEntry {
    // Every ID begins with nothing: as `"$ID"` of a script in which it is not set.
    guard !name.isEmpty else {
      throw CommandFailure(
        .usage, "unknownID", "the ID is empty", hint: "errand outbox list shows those that are there.")
    }
    if let entry = try await outbox.status(of: OutboxID(rawValue: name)) { return entry }
    var found: OutboxEntry?
    for try await entry in outbox.entries(pageSize: Self.pageSize)
    where entry.id.rawValue.hasPrefix(name) || entry.id.rawValue.hasSuffix(name) {
      if let found {
        throw CommandFailure(
          .usage, "ambiguousID", "\(name.debugDescription) begins or ends the names of several requests",
          hint: "\(found.id) and \(entry.id), for two.")
      }
      found = entry
    }
    guard let found else {
      throw CommandFailure(
        .usage, "unknownID", "there is no request \(name.debugDescription)",
        hint: "errand outbox list shows those that are there.")
    }
    return found
  }
}

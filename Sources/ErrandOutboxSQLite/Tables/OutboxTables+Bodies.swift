import ErrandOutbox

/// The folder of bodies that this file remembers, by its mark. The mark of the outbox's folder is empty.
extension OutboxTables {
  private static let hasFiles = Query("SELECT EXISTS (SELECT 1 FROM files)")

  /// Returns the remembered mark, and whether a request has its body in a file.
  func bodies() throws -> (mark: String?, hasBodies: Bool) {
    (try text(.bodies), try database.integer(Self.hasFiles) == 1)
  }

  /// Remembers the folder, unless another process has stored bodies in another one since it was read.
  /// - Parameter known: The mark that was read.
  func use(bodies mark: String, insteadOf known: String?) throws {
    let (present, hasBodies) = try bodies()
    guard present != mark else { return }
    guard !hasBodies || present == known else { throw Self.otherBodies }
    try set(.bodies, to: .text(mark))
  }

  /// - Throws: `OutboxError`, if another process has opened the outbox with another folder of bodies.
  func check(bodies mark: String) throws {
    guard try text(.bodies) ?? "" == mark else { throw Self.otherBodies }
  }

  private static var otherBodies: OutboxError {
    OutboxError(
      .failed,
      "another process uses the outbox with another folder of bodies: pass the same one in all, and open the outbox again"
    )
  }
}

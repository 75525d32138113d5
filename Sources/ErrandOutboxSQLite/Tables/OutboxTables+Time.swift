import ErrandOutbox

extension OutboxTables {
  private static let endLeases = Query("UPDATE requests INDEXED BY leased SET lease_end = 0 WHERE state = 1")
  private static let moveDue = Query(
    """
    UPDATE requests SET
      delay = max(0, min(delay, due_wall - ?2)),
      due_wall = ?2 + max(0, min(delay, due_wall - ?2)),
      due = iif(due_wall - ?2 <= 0 OR delay <= 0, 0, ?1 + min(delay, due_wall - ?2)),
      offline = iif(due_wall - ?2 <= 0 OR delay <= 0, 0, offline)
    WHERE state IN (0, 1) AND due > 0
    """)
  private static let moveExpiry = Query(
    """
    UPDATE requests SET
      lifetime = max(0, min(lifetime, expires_wall - ?2)),
      expires_wall = ?2 + max(0, min(lifetime, expires_wall - ?2)),
      expires = ?1 + max(0, min(lifetime, expires_wall - ?2))
    WHERE state IN (0, 1) AND expires IS NOT NULL
    """)

  /// Adapts the stored times if the machine has restarted, because ticks then begin at zero. A row that waits
  /// continues to wait for the rest of its delay by the wall clock, but never longer than its whole delay.
  /// All leases of processes end.
  func adopt(_ now: StoreTime) throws {
    guard now.boot != knownBoot else { return }
    guard !now.boot.isEmpty else { throw OutboxError.unknownBoot }
    claimed = [:]
    let boot = try text(.boot)
    if let boot, boot != now.boot {
      try database.run(Self.endLeases)
      try moveHanded(to: now)
      try database.run(Self.moveDue, [.integer(now.ticks), .integer(now.wall)])
      try moveHolds(to: now)
      try database.run(Self.moveExpiry, [.integer(now.ticks), .integer(now.wall)])
    }
    if boot != now.boot { try set(.boot, to: .text(now.boot)) }
    knownBoot = now.boot
  }
}

extension OutboxError {
  /// Without an id of the boot, ticks of an earlier boot could be mistaken for those of this one.
  fileprivate static let unknownBoot = OutboxError(
    .failed,
    "the system does not identify the present boot of the machine (on Linux /proc/sys/kernel/random/boot_id must be "
      + "readable), so no time can be stored; nothing was changed")
}

#if Postgres
  import ErrandCore
  import ErrandOutbox

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The leases that one caller begins.
  struct BeginCall: Sendable {
    let leases: [Lease]
    /// When the call fails, on the link's timeline; nil for no deadline.
    let deadline: Duration?
  }

  extension StoreCore {
    private static let claim = """
      SELECT what, place, name, \(RowColumns.ofValue("r")), (r).content, (r).lease FROM errand.claim(
        $1, errand.check_version($2::integer, $12::integer), $3, $4, $5, $6, $7, $8, $9, $10, $11)
      """

    /// Claims requests, after it has made this worker known to the others.
    /// - Returns: The claim, and whether it changed rows that others may want to know of.
    func claim(_ bounds: ClaimBounds, for lease: Duration) async throws -> (claim: Claim, hasNews: Bool) {
      await beginClaim()
      defer { endClaim() }
      try await arrive()
      try await returnUnknown()
      let origins = bounds.capacities.map { (StoredName($0.key).key, Int64($0.value)) }
      let values: [PostgresValue] = [
        time, .integer(owner), .integer(Int64(max(0, bounds.limit))), .texts(origins.map(\.0)),
        .integers(origins.map(\.1)), .integer(Int64(bounds.perOther)), .integer(Int64(bounds.others)),
        .optional(bounds.maxAttempts.map { Int64($0) }), .integer(bounds.backoff.storedMilliseconds),
        .integer(bounds.maxBackoff.storedMilliseconds), .integer(lease.storedMilliseconds),
        .integer(Int64(settings.migrations.last?.version ?? 0)),
      ]
      state.withLock { $0.mayHaveUnknown = true }
      switch await link.outcome(of: query(Self.claim, values)) {
      case .success(let answer):
        let claim = Self.claim(answer)
        state.withLock { state in
          state.mayHaveUnknown = false
          for row in claim.rows { state.claimed.insert(row.lease.number) }
        }
        return (claim, !(claim.recovered + claim.expired + claim.deadLettered).isEmpty)
      case .failure(let failure):
        if failure.kind == .refused || failure.kind == .unreachable {
          state.withLock { $0.mayHaveUnknown = false }
        }
        throw failure.error(link)
      }
    }

    /// Waits until no other claim is in progress. Otherwise the rows of the other claim would count as
    /// unknown, and would be given back.
    private func beginClaim() async {
      await withCheckedContinuation { (turn: CheckedContinuation<Void, Never>) in
        let isFree = state.withLock { state in
          if state.isClaiming { state.waitingClaims.append(turn) }
          defer { state.isClaiming = true }
          return !state.isClaiming
        }
        if isFree { turn.resume() }
      }
    }

    private func endClaim() {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.isClaiming = !state.waitingClaims.isEmpty
        return state.isClaiming ? state.waitingClaims.removeFirst() : nil
      }
      next?.resume()
    }

    private static func claim(_ answer: PostgresAnswer) -> Claim {
      var claim = Claim()
      for answered in answer.rows({ $0 }) {
        let row = RowColumns.row(answered, 3)
        switch (answered.integer(0), row) {
        case (1, let row?):
          let last = 3 + RowColumns.count
          claim.rows.append(
            ClaimedRow(
              row: row, content: answered.data(last) ?? Data(),
              lease: Lease(
                id: row.id, number: LeaseNumber.of(row.sequence, answered.integer(last + 1))),
              timeLeft: answered.optionalInteger(1).map { .milliseconds($0) }))
        case (2, let row?): claim.expired.append(row)
        case (3, let row?): claim.recovered.append(row)
        case (4, let row?): claim.deadLettered.append(row)
        case (5, _): claim.held.insert(StoredName.name(answered.text(2) ?? "", long: nil))
        default: claim.next = answered.optionalInteger(1).map { .milliseconds($0) }
        }
      }
      return claim
    }

    /// Makes this worker known to the others, once.
    private func arrive() async throws {
      guard !state.withLock({ $0.hasArrived }) else { return }
      _ = try await run(
        "SELECT errand.arrive($1, $2::integer, $3, $4, $5)",
        [
          time,
          .integer(owner), .text(StoredName(settings.workerName ?? WorkerName.own).key),
          .text("\(Schema.migrations.last?.version ?? 0)"),
          .integer(absence.storedMilliseconds),
        ], isRepeatable: true)
      state.withLock { $0.hasArrived = true }
    }

    /// Gives back the requests of a claim whose result was lost. Otherwise they would wait until their leases
    /// end.
    private func returnUnknown() async throws {
      let (isNeeded, known) = state.withLock { ($0.mayHaveUnknown, $0.claimed.map(LeaseNumber.sequence)) }
      guard isNeeded else { return }
      _ = try await run(
        "SELECT errand.give_back($1::integer, $2)", [.integer(owner), .integers(known)], isRepeatable: true)
      state.withLock { $0.mayHaveUnknown = false }
    }

    // MARK: Leases

    func begin(_ calls: [BeginCall]) async -> [Result<[Lease], any Error>] {
      do {
        let held = try await begin(calls.flatMap(\.leases), by: calls.compactMap(\.deadline).min())
        return calls.map { call in .success(call.leases.filter(held.contains)) }
      } catch {
        return calls.map { _ in .failure(error) }
      }
    }

    private func begin(_ leases: [Lease], by deadline: Duration?) async throws -> Set<Lease> {
      while true {
        let start = link.now
        let query = query(
          "SELECT * FROM errand.begin_leases($1, $2::integer, $3, $4)",
          [time, .integer(owner)] + Self.parameters(leases), isRepeatable: true)
        let outcome = await link.outcomeAndRepeat(of: query, by: deadline).outcome
        let answer = try outcome.mapError { $0.error(link) }.get()
        // The process may have been stopped while the result was on its way. Other workers wait for
        // `absence`.
        if link.now - start > absence / 2 { continue }
        let places = answer.rows { Int($0.integer(0)) }
        return Set(places.filter(leases.indices.contains).map { leases[$0] })
      }
    }

    func renew(_ leases: [Lease], for lease: Duration) async throws -> [Lease] {
      let answer = try await run(
        "SELECT * FROM errand.renew($1, $2::integer, $3, $4, $5)",
        [time, .integer(owner)] + Self.parameters(leases) + [.integer(lease.storedMilliseconds)],
        isRepeatable: true)
      let kept = Set(answer.rows { Int($0.integer(0)) })
      let lost = leases.enumerated().filter { !kept.contains($0.offset) }.map(\.element)
      state.withLock { state in for lease in lost { state.claimed.remove(lease.number) } }
      return lost
    }

    static func parameters(_ leases: [Lease]) -> [PostgresValue] {
      [
        .integers(leases.map { LeaseNumber.sequence($0.number) }),
        .integers(leases.map { LeaseNumber.count($0.number) }),
      ]
    }
  }
#endif

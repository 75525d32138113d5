/// The delays and the outcome of one attempt, chosen when it begins. Pure.
struct AttemptPlan: Sendable {
  enum Fate: Sendable, Hashable {
    case responded
    case refused
    case lostOnTheWayOut
    case lostOnTheWayBack
    case resetBeforeRequest
    case resetAfterRequest
    case resetInResponse
    case serverError(status: Int, retryAfter: Int?)
  }

  let fate: Fate
  /// The time to connect, which is one round trip.
  let connect: Duration
  let out: Duration
  let service: Duration
  let back: Duration
  private var random: SeededRandom
  private let piece: ClosedRange<Int>
  private let pause: ClosedRange<Duration>

  init(_ conditions: NetworkConditions, using random: inout SeededRandom) {
    let scale = random.chance(conditions.slow) ? 20 : 1
    connect = (random.duration(in: conditions.latency) + random.duration(in: conditions.latency)) * scale
    out = random.duration(in: conditions.latency) * scale
    service = random.duration(in: conditions.service) * scale
    back = random.duration(in: conditions.latency) * scale
    fate = Self.fate(conditions, &random)
    piece = conditions.piece
    pause = conditions.pause
    self.random = SeededRandom(seed: random.next())
  }

  private static func fate(_ conditions: NetworkConditions, _ random: inout SeededRandom) -> Fate {
    if random.chance(conditions.refusals) { return .refused }
    if random.chance(conditions.loss) {
      return Bool.random(using: &random) ? .lostOnTheWayOut : .lostOnTheWayBack
    }
    if random.chance(conditions.resets) {
      let resets: [Fate] = [.resetBeforeRequest, .resetAfterRequest, .resetInResponse]
      return resets[Int.random(in: resets.indices, using: &random)]
    }
    if random.chance(conditions.serverErrors) {
      let statuses = [500, 502, 503, 429]
      let status = statuses[Int.random(in: statuses.indices, using: &random)]
      let retryAfter = random.chance(conditions.retryAfter) ? Int.random(in: 1...3, using: &random) : nil
      return .serverError(status: status, retryAfter: retryAfter)
    }
    return .responded
  }

  /// Returns the length of the next piece of the body and the pause before it.
  mutating func nextPiece() -> (length: Int, pause: Duration) {
    (Int.random(in: piece, using: &random), random.duration(in: pause))
  }
}

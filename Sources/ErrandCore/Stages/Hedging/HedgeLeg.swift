/// Observes two attempts of one request.
protocol AttemptObserver: AnyObject, Sendable {
  /// An attempt is about to send a request: its first, or that after a redirect or a refused credential.
  /// - Throws: The reason why it must not be sent.
  func isSent(_ request: Request, by racer: HedgeRaceState.Racer) throws
  /// The head of a response has arrived.
  func responds(_ head: ResponseHead, to request: Request, of racer: HedgeRaceState.Racer)
  /// The response of an attempt is accepted. Returns false if the other one has won.
  func claim(_ racer: HedgeRaceState.Racer) -> Bool
}

/// The place of an attempt's request in a race, with which the last stage reports to it.
struct HedgeLeg: Sendable, Hashable {
  private let race: any AttemptObserver
  private let racer: HedgeRaceState.Racer

  init(race: any AttemptObserver, racer: HedgeRaceState.Racer) {
    self.race = race
    self.racer = racer
  }

  /// The request is about to be sent.
  func isSent(_ request: Request) throws { try race.isSent(request, by: racer) }

  /// The head of the response has arrived.
  func responds(with head: ResponseHead, to request: Request) { race.responds(head, to: request, of: racer) }

  /// The response is accepted by its head.
  /// - Throws: `RequestError`, if the other attempt has won.
  func wins() throws {
    guard race.claim(racer) else {
      throw CancellationToken.Cause.cancelled(.overtaken).error(reachedServer: true)
    }
  }

  static func == (left: HedgeLeg, right: HedgeLeg) -> Bool {
    left.race === right.race && left.racer == right.racer
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(race))
    hasher.combine(racer)
  }
}

import ErrandTesting

/// One of the servers of an outbox's world, and what is wrong with it until all is well.
struct OutboxHost: Sendable {
  enum Nature: String, CaseIterable, Sendable {
    /// Nothing, ever.
    case healthy
    /// What is wrong with the world's network.
    case ordinary
    /// It refuses every connection.
    case dead
    /// It takes seconds for everything.
    case slow
    /// It never answers.
    case hanging
    /// A captive portal is in front of it, which sends everybody to itself.
    case portal
    /// Its answers end before they are whole.
    case short
  }

  /// Where a portal sends everybody.
  static let portal = "portal.test"

  let nature: Nature
  let name: String

  init(_ nature: Nature, _ number: Int) {
    self.nature = nature
    name = "\(nature)\(number).test"
  }

  /// - Parameter world: What goes wrong on the world's network.
  func conditions(in world: NetworkConditions) -> NetworkConditions {
    var conditions = world
    switch nature {
    case .healthy: conditions = NetworkConditions()
    case .dead: conditions.refusals = 1
    case .slow: conditions.service = .seconds(1)...(.seconds(8))
    case .hanging:
      conditions.refusals = 0
      conditions.loss = 1
    case .ordinary, .portal, .short: break
    }
    return conditions
  }
}

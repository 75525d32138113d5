import ErrandTesting

/// One of the servers of an outbox's world, with its faults until faults end.
struct OutboxHost: Sendable {
  enum Nature: String, CaseIterable, Sendable {
    /// The server has no faults.
    case healthy
    /// The server has the faults of the world's network.
    case ordinary
    /// The server refuses every connection.
    case dead
    /// The server takes seconds for everything.
    case slow
    /// The server never responds.
    case hanging
    /// A captive portal in front of the server redirects all requests to itself.
    case portal
    /// The server's responses end before they are complete.
    case short
  }

  /// The host to which a portal redirects.
  static let portal = "portal.test"

  let nature: Nature
  let name: String

  init(_ nature: Nature, _ number: Int) {
    self.nature = nature
    name = "\(nature)\(number).test"
  }

  /// - Parameter world: The conditions of the world's network.
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

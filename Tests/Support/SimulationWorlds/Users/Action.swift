#if os(Linux)
  import ErrandCore
  import ErrandTesting

  /// An action of a user.
  enum Action: CaseIterable, Sendable {
    case send
    case start
    case chain
    case stream
    case own
    case again
    case read
    case listen
    case note

    static func pick(_ random: inout SeededRandom) -> Action {
      allCases[Int.random(in: allCases.indices, using: &random)]
    }

    func perform(in world: World, _ random: SeededRandom) async {
      var random = random
      switch self {
      case .send:
        let scope = random.once(in: 2) ? world.app : nil
        await world.send(world.ask(&random), in: scope, leavingAfter: random.patience())
      case .start: await world.start(world.ask(&random), &random)
      case .chain: await world.chain(random)
      case .again: await world.repeatedly(random)
      case .read: await world.read(random)
      case .listen: await world.listen(random)
      case .note: await world.note(random)
      case .own:
        var ask = world.ask(&random)
        ask.isHanded = true
        await world.own(ask, goneAfter: random.patience())
      case .stream: await world.stream(world.ask(&random), &random)
      }
    }
  }

  extension SeededRandom {
    /// Returns the time after which a caller is cancelled, or nil to wait until the end.
    mutating func patience() -> Duration? { once(in: 3) ? milliseconds(0...3000) : nil }
  }
#endif

#if os(Linux)
  import ErrandCore
  import ErrandTesting

  /// A user who opens pages, goes back, and presents other pages over them. Each page sends requests when it
  /// is opened, and some are sent too late: for a page that has been removed.
  struct Browsing {
    private let world: World
    private var random: SeededRandom
    /// Pages that exist or existed, so that a request can be sent too late.
    private var known: [(id: Int, scope: RequestScope)] = []

    init(_ world: World, _ random: SeededRandom) {
      self.world = world
      self.random = random
    }

    mutating func live(_ group: inout DiscardingTaskGroup) async {
      let world = world
      var stack: StackModel? = StackModel(ScopeStack("user", in: world.app)) { world.ledger.nextScope() }
      stack?.push()
      for _ in 0..<world.plan.steps {
        navigate(stack)
        for page in stack?.front.pages.suffix(1) ?? [] { known.append((page.id, page.scope)) }
        for _ in 0..<Int.random(in: 0...3, using: &random) { askSomething(&group) }
        await world.pause(random.milliseconds(1...1500))
      }
      if random.once(in: 2) { await world.pause(random.milliseconds(1...20_000)) }
      stack?.end(willEnd)
      // Releasing the stack ends it, too.
      if random.once(in: 2) { stack?.real.end() }
      stack = nil
      if random.once(in: 2) { askSomething(&group) }
    }

    private mutating func navigate(_ stack: StackModel?) {
      guard let front = random.once(in: 4) ? stack : stack?.front else { return }
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: front.push()
      case 3, 4: front.pop(1, willEnd)
      case 5: front.pop(Int.random(in: 1...3, using: &random), willEnd)
      case 6:
        front.present()
        front.front.push()
      default: front.dismiss(willEnd)
      }
      if world.defect == .endsTooMuch { front.real.top?.cancelAll() }
    }

    private func willEnd(_ scopes: [Int], _ name: String) {
      world.ledger.endScopes(scopes, .scopeEnded(name), at: world.now)
    }

    private mutating func askSomething(_ group: inout DiscardingTaskGroup) {
      guard let (id, page) = random.once(in: 5) ? known.randomElement(using: &random) : known.last else {
        return
      }
      let ask = world.ask(&random, scope: id)
      // A view of the page, which ends with it.
      let place = random.once(in: 2) ? RequestScope("view", in: page) : page
      let (kind, seed) = (Int.random(in: 0..<6, using: &random), random.next())
      let scope = world.defect == .forgetsScope ? nil : place
      group.addTask { [world] in
        var random = SeededRandom(seed: seed)
        switch kind {
        case 0: await world.stream(ask, in: scope, &random)
        case 1: await world.repeatedly(random, scope: id, in: scope)
        case 5: await world.read(random, scope: id, in: scope)
        case 2: await world.start(ask, in: scope, &random)
        default: await world.send(ask, in: scope, leavingAfter: random.patience())
        }
      }
    }
  }
#endif

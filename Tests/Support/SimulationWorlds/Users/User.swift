#if os(Linux)
  import ErrandCore
  import ErrandTesting
  import SimulationExecutor

  /// A user of an app, whose actions overlap: each begins a while after the one before.
  struct User {
    private let world: World
    private var random: SeededRandom

    init(_ number: Int, _ world: World) {
      self.world = world
      random = world.simulation.random(100 + UInt64(number))
    }

    consuming func live() async {
      var random = random
      await withDiscardingTaskGroup { [world] group in
        if random.once(in: 2) {
          var browsing = Browsing(world, random)
          return await browsing.live(&group)
        }
        for _ in 0..<world.plan.steps {
          await world.pause(random.milliseconds(1...1500))
          let action = Action.pick(&random)
          let seed = random.next()
          group.addTask { await action.perform(in: world, SeededRandom(seed: seed)) }
        }
      }
    }
  }
#endif

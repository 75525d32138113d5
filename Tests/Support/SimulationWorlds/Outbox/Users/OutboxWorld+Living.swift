#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandReachability
  import ErrandTesting
  import SimulationExecutor

  extension OutboxWorld {
    /// Starts a process repeatedly, uses it for a while, and ends it in some way.
    func inhabit(_ number: Int) async {
      var random = simulation.random(100 + UInt64(number))
      // Some processes only store, like an app's extension.
      let delivers = number == 0 || !random.once(in: 4)
      for _ in 0..<plan.launches {
        await pause(random.milliseconds(0...3000))
        guard let launch = await launch("process \(number)", delivers: delivers) else { continue }
        await use(launch, &random)
      }
    }

    private func use(_ launch: Launch, _ random: inout SeededRandom) async {
      await withDiscardingTaskGroup { group in
        for _ in 0..<plan.steps where !launch.process.isGone {
          let seed = random.next()
          group.addTask { await OutboxAction.perform(in: launch, of: self, SeededRandom(seed: seed)) }
          await pause(random.milliseconds(0...4000))
        }
        await pause(random.milliseconds(0...3000))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break
        case 1: await launch.close(within: random.milliseconds(0...5000))
        default:
          guard plan.crashes else { return await launch.close(within: .seconds(2)) }
          await launch.crash(cutsWire: random.once(in: 2))
        }
      }
    }

    // MARK: Faults

    func makeTrouble() async {
      var random = simulation.random(50)
      for _ in 0..<plan.troubles {
        await pause(random.milliseconds(100...6000))
        switch Int.random(in: 0..<9, using: &random) {
        case 0: part(for: random.milliseconds(10...20_000))
        case 1: setWall(by: random.milliseconds(-3_600_000...3_600_000))
        case 2: setWall(by: .seconds(86_400 * Int.random(in: -30...30, using: &random)))
        case 3 where plan.crashes: await reboot(&random)
        case 4: await loseNetwork(for: random.milliseconds(100...20_000))
        case 8: await loseStore(for: random.milliseconds(100...90_000))
        case 5: await freeze(for: plan.lease + random.milliseconds(1...20_000), &random)
        default: await freeze(for: random.milliseconds(100...60_000), &random)
        }
      }
    }

    private func part(for length: Duration) {
      ledger.note("partition for \(length)")
      network.partition(for: length)
    }

    private func setWall(by change: Duration) {
      ledger.note("the wall clock is set by \(change)")
      machine.setWall(by: change)
    }

    private func reboot(_ random: inout SeededRandom) async {
      ledger.note("the machine restarts")
      let dying = launches
      for process in dying.map(\.process) + starting { process.die() }
      machine.reboot()
      for launch in dying { await launch.crash(cutsWire: random.once(in: 2)) }
      if random.once(in: 2) { setWall(by: random.milliseconds(-100_000...100_000)) }
    }

    private func loseNetwork(for length: Duration) async {
      part(for: length)
      reachability.set(.offline)
      await pause(length)
      reachability.set(.online)
    }

    private func loseStore(for length: Duration) async {
      ledger.note("the store is unavailable for \(length)")
      machine.isStoreAway = true
      await pause(length)
      machine.isStoreAway = false
    }

    private func freeze(for length: Duration, _ random: inout SeededRandom) async {
      guard let launch = launches.randomElement(using: &random) else { return }
      ledger.note("\(launch.process.name) is frozen for \(length)")
      launch.process.freeze()
      await pause(length)
      launch.process.thaw()
    }
  }
#endif

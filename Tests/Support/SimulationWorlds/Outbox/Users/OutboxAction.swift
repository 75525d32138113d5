#if os(Linux)
  import ErrandCore
  import ErrandOutbox
  import ErrandTesting

  /// An action of a user of an outbox.
  enum OutboxAction: CaseIterable, Sendable {
    case enqueueOne
    case enqueueOther
    case enqueueBurst
    case enqueueAgain
    case pauseAndResume
    case retry
    case drop
    case follow
    case look

    static func perform(in launch: Launch, of world: OutboxWorld, _ random: SeededRandom) async {
      var random = random
      let action = allCases[Int.random(in: allCases.indices, using: &random)]
      do {
        switch action {
        case .enqueueOne, .enqueueOther: await world.enqueue(1, in: launch, &random)
        case .enqueueBurst: await world.enqueue(Int.random(in: 2...5, using: &random), in: launch, &random)
        case .enqueueAgain: await world.enqueueAgain(in: launch)
        case .pauseAndResume: try await world.pauseAndResume(in: launch, &random)
        case .retry: try await launch.outbox.retry(world.selection(&random))
        case .drop: try await launch.outbox.drop(world.selection(&random))
        case .follow: try await world.followOld(in: launch, &random)
        case .look:
          _ = try await launch.outbox.statistics()
          launch.outbox.deliver()
        }
      } catch {
        world.ledger.note("\(launch.process.name) cannot \(action): \(error)")
      }
    }
  }
#endif

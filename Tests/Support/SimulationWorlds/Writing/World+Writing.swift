#if os(Linux)
  import ErrandCore
  import ErrandTesting

  extension World {
    /// Reads notes, and writes some of them in between.
    func note(_ random: SeededRandom) async {
      var random = random
      await withDiscardingTaskGroup { group in
        for _ in 0..<Int.random(in: 2...5, using: &random) {
          let note = Int.random(in: 0..<NoteServer.count, using: &random)
          var ask = ask(&random)
          ask.host = plan.hosts[0]
          ask.waits = nil
          if random.once(in: 3) {
            ask.writes = note
            ask.method = .put
            ask.path = NoteServer.path(writing: note)
            ask.text = "body of \(ask.id)"
          } else {
            ask.note = noteReading(note, &random)
            ask.method = .get
            ask.path = NoteServer.path(reading: note)
            ask.text = ""
          }
          ask.hasKey = false
          let (patience, waits) = (random.patience(), random.once(in: 2))
          if waits {
            await send(ask, leavingAfter: patience)
          } else {
            group.addTask { [ask] in await self.send(ask, leavingAfter: patience) }
            await pause(random.milliseconds(1...800))
          }
        }
      }
    }

    private func noteReading(_ note: Int, _ random: inout SeededRandom) -> NoteReading {
      let way: NoteReading.Way =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .named(.first)
        case 1: .named(.maxAge(.seconds(5)))
        case 2: .named(.staleIfError)
        default: .shared(within: plan.sharing[note].window, plan.sharing[note].failures)
        }
      return NoteReading(note: note, way: way)
    }
  }
#endif

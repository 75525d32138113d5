#if Postgres
  import ErrandTesting
  import Testing

  @testable import ErrandOutboxPostgres

  struct BatchStateTests {
    @Test func `calls that arrive before a batch is taken are in it`() {
      var state = BatchState<Int>(most: 10, parallel: 1)
      let first = [state.add(1), state.add(2)]
      let (batch, third) = (state.take(), state.add(3))
      #expect(first == [true, false] && batch == [1, 2] && !third)
      let (isNext, next) = (state.ended(), state.take())
      #expect(isNext && next == [3])
      let isOver = !state.ended()
      #expect(isOver)
    }

    @Test func `a batch whose calls were taken by another one is empty`() {
      var state = BatchState<Int>(most: 10, parallel: 2)
      let begins = [state.add(1), state.add(2), state.add(3)]
      #expect(begins == [true, true, false])
      let batches = [state.take(), state.take()]
      #expect(batches == [[1, 2, 3], []])
      let others = [state.ended(), state.ended(), state.add(4)]
      #expect(others == [false, false, true])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `each call is in one batch, in order, and few batches run at once`(_ seed: UInt64) {
      var random = SeededRandom(seed: seed)
      let (most, parallel) = (Int.random(in: 1...4, using: &random), Int.random(in: 1...3, using: &random))
      var state = BatchState<Int>(most: most, parallel: parallel)
      var (begun, running, added) = (0, 0, 0)
      var taken: [Int] = []
      func checkLimit() { #expect(begun + running <= parallel) }
      for _ in 0..<2000 {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          if state.add(added) { begun += 1 }
          added += 1
        case 1 where begun > 0:
          let batch = state.take()
          #expect(batch.count <= most)
          taken += batch
          (begun, running) = (begun - 1, running + 1)
        case 2 where running > 0:
          running -= 1
          if state.ended() { begun += 1 }
        default: break
        }
        checkLimit()
        // Nothing waits without a batch that will take it.
        #expect(taken.count == added || begun + running > 0)
      }
      while begun + running > 0 {
        if begun > 0 {
          taken += state.take()
          (begun, running) = (begun - 1, running + 1)
        } else {
          running -= 1
          if state.ended() { begun += 1 }
        }
      }
      #expect(taken == Array(0..<added))
    }
  }
#endif

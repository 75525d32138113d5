#if os(Linux)
  import ErrandCore
  import ErrandReachability
  import ErrandTesting

  extension World {
    /// Makes a random request.
    func ask(_ random: inout SeededRandom, after: [Int] = [], scope: Int? = nil) -> Ask {
      let methods: [HTTPMethod] = [.get, .get, .put, .post, .post]
      var ask = Ask(
        id: ledger.nextAsk(), method: methods[Int.random(in: methods.indices, using: &random)],
        host: plan.hosts[Int.random(in: plan.hosts.indices, using: &random)],
        path: random.once(in: 12) ? "/missing" : "/thing/\(Int.random(in: 0...9, using: &random))",
        after: after)
      ask.scope = scope
      let priorities = Priority.allCases
      ask.priority = priorities[Int.random(in: priorities.indices, using: &random)]
      if ask.method != .get { ask.text = "body of \(ask.id)" }
      ask.hasKey = ask.method == .post && Bool.random(using: &random)
      ask.maxAttempts = Int.random(in: 1...4, using: &random)
      if random.once(in: 4) {
        let deadline = random.milliseconds(1...8000)
        ask.deadline = plan.grid.map { deadline.roundedUp(to: $0) } ?? deadline
      }
      if plan.outage != nil, random.once(in: 3) { ask.waits = random.milliseconds(1...20_000) }
      return ask
    }

    /// Makes the `Request` for an ask, with a token that shows whether it or a copy is still referenced.
    func request(_ ask: Ask, after calls: [Call] = []) -> Request {
      let token = tokens.make()
      var request = Request(ask.method, ask.url).field(Ask.idField, "\(ask.id)").attempts(ask.maxAttempts)
        .priority(
          ask.priority
        )
        .validate { _ in withExtendedLifetime(token) {} }
      if ask.method != .get { request = request.body(.text(ask.text)) }
      if ask.hasKey { request = request.idempotencyKey("\(ask.id)") }
      if let deadline = ask.deadline { request = request.deadline(deadline) }
      if let rule = ask.rule { request = self.request(request, by: rule) }
      if let reading = ask.reading { request = reading.apply(to: request) }
      if !ask.changes.isEmpty { request = ask.writer.apply(to: request.cached()) }
      if let note = ask.note { request = note.apply(to: request) }
      if let note = ask.writes, defect != .forgetsWrites {
        request = request.invalidating(RequestKey(NoteReading.key(of: note)))
      }
      if let limit = ask.waits, defect != .waitsForNothing {
        request = request.waitsForNetwork(within: limit, reachability)
      }
      if !calls.isEmpty { request = request.after(calls) }
      if ask.id.isMultiple(of: 3) { request = request.activity(activity) }
      return defect?.spoil(request, of: ask) ?? request
    }

    /// Waits for an outcome and records it; cancels the caller after `patience`.
    func wait(
      _ ask: Ask, _ role: Caller.Role = .owner, leavingAfter patience: Duration?,
      _ work: @escaping @Sendable () async throws -> Outcome
    ) async {
      let caller = ledger.begin(ask, role, at: now)
      let task = Task {
        do { ledger.end(caller, try await work(), at: now) } catch {
          ledger.end(caller, Outcome(error), at: now)
        }
      }
      if let patience {
        await pause(patience)
        ledger.leave(caller, .taskCancelled, at: now)
        task.cancel()
      }
      await task.value
    }

    func send(_ ask: Ask, in scope: RequestScope? = nil, leavingAfter patience: Duration?) async {
      let request = request(ask)
      await wait(ask, leavingAfter: patience) { [client] in Outcome(try await client.send(request, in: scope))
      }
    }

    /// Starts a call with several callers; some are cancelled, and the call may be, too.
    func start(_ ask: Ask, in scope: RequestScope? = nil, _ random: inout SeededRandom) async {
      let cancelAfter = random.patience()
      let guests = (0..<Int.random(in: 0...2, using: &random)).map { _ in random.patience() }
      let owner = ledger.begin(ask, .owner, at: now)
      let call = client.start(request(ask), in: scope)
      ledger.watch(owner, call)
      await withDiscardingTaskGroup { group in
        group.addTask { await self.own(call, owner) }
        for patience in guests {
          group.addTask {
            await self.wait(ask, .guest, leavingAfter: patience) { Outcome(try await call.value) }
          }
        }
        if let cancelAfter {
          await self.pause(cancelAfter)
          self.ledger.leave(owner, .callCancelled, at: self.now)
          call.cancel()
        }
      }
    }

    func own(_ call: Call, _ owner: Int) async {
      do {
        ledger.end(owner, Outcome(try await call.value), at: now)
      } catch {
        ledger.end(owner, Outcome(error), at: now)
      }
    }

    /// Starts several calls, of which later ones depend on earlier ones.
    func chain(_ seed: SeededRandom) async {
      var random = seed
      await withDiscardingTaskGroup { group in
        var calls: [(ask: Ask, call: Call)] = []
        for _ in 0..<Int.random(in: 2...4, using: &random) {
          let before = calls.filter { _ in Bool.random(using: &random) }
          let ask = ask(&random, after: before.map(\.ask.id))
          let owner = ledger.begin(ask, .owner, at: now)
          let call = client.start(
            request(ask, after: defect == .forgetsDependencies ? [] : before.map(\.call)))
          calls.append((ask, call))
          group.addTask { await self.own(call, owner) }
          if random.once(in: 3) { await pause(random.milliseconds(0...500)) }
        }
      }
    }

    /// Reads the response piece by piece, perhaps not to its end.
    func stream(_ ask: Ask, in scope: RequestScope? = nil, _ random: inout SeededRandom) async {
      let request = request(ask)
      let (readsAll, patience) = (!random.once(in: 4), random.patience())
      await wait(ask, leavingAfter: patience) { [client] in
        let response = try await client.stream(request, in: scope)
        var text = ""
        for try await piece in response.chunks {
          text += String(decoding: piece, as: UTF8.self)
          if !readsAll, text.count > 8 { return .dropped }
          // No time passes, because a slow reader would get its outcome late, by an amount that no invariant
          // could bound.
          await Task.yield()
        }
        return .responded(status: response.status.code, text: text)
      }
    }
  }

  extension Outcome {
    init(_ response: Response) {
      self = .responded(status: response.status.code, text: response.text)
    }
  }
#endif

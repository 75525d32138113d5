#if os(Linux)
  import ErrandCore
  import ErrandTesting

  extension World {
    /// Returns the rule of one of few groups, so that users share them.
    func rule(_ random: inout SeededRandom) -> Rule {
      let group = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .ignoring(group: group, within: plan.ignoring[group])
      case 1: return .sharing(group: group, plan.sharing[group])
      default: return .latest(group: group)
      }
    }

    /// Makes the ask one of its group: requests that the client treats as the same must be the same.
    func apply(_ rule: Rule, to ask: inout Ask) {
      ask.rule = rule
      ask.waits = nil
      switch rule {
      case .ignoring(let group, _):
        ask.method = .post
        ask.text = "tap \(group)"
        ask.host = plan.hosts[0]
        ask.path = "/tap/\(group)"
      case .sharing(let group, _):
        ask.method = .get
        ask.text = ""
        ask.hasKey = false
        ask.host = plan.hosts[0]
        ask.path = "/shared/\(group)"
      case .latest(let group):
        ask.method = .get
        ask.text = ""
        ask.hasKey = false
        ask.path = "/search/\(group)/\(ask.id)"
      }
    }

    /// Applies the rule to a request. The second group has the request's own key, the others have explicit
    /// keys.
    func request(_ request: Request, by rule: Rule) -> Request {
      func key(_ group: Int) -> RequestKey? {
        group == 1 ? nil : RequestKey(GroupKey(group: group, token: tokens.make()))
      }
      switch rule {
      case .ignoring(let group, let interval):
        return request.ignoringRepeats(within: interval, key: key(group))
      case .sharing(let group, let policy):
        return request.shared(
          within: policy.window, failures: policy.failures, whenAbandoned: policy.whenAbandoned,
          key: key(group))
      case .latest(let group):
        return request.latest(RequestKey(GroupKey(group: group, token: tokens.make())))
      }
    }

    /// Sends the same request repeatedly: double taps, refreshes, typing.
    func repeatedly(_ random: SeededRandom, scope: Int? = nil, in real: RequestScope? = nil) async {
      var random = random
      let rule = rule(&random)
      let isHasty = random.once(in: 3)
      await withDiscardingTaskGroup { group in
        for _ in 0..<Int.random(in: 2...6, using: &random) {
          var ask = ask(&random, scope: scope)
          apply(rule, to: &ask)
          let (patience, seed, isStarted) = (random.patience(), random.next(), random.once(in: 3))
          group.addTask { [ask] in
            var random = SeededRandom(seed: seed)
            if isStarted {
              await self.start(ask, in: real, &random)
            } else {
              await self.send(ask, in: real, leavingAfter: patience)
            }
          }
          if !isHasty { await pause(random.milliseconds(1...1500)) }
        }
      }
    }
  }
#endif

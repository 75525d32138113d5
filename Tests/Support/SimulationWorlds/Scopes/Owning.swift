#if os(Linux)
  import ErrandCore
  import ErrandTesting

  /// An object whose requests end with it.
  final class Owner: RequestOwner, Sendable {
    let requests: RequestScope
    let ledger: Ledger

    init(_ name: String, _ ledger: Ledger) {
      requests = RequestScope(name)
      self.ledger = ledger
    }
  }

  extension World {
    /// Sends a request for an object that may be deallocated before the response arrives.
    func own(_ ask: Ask, goneAfter patience: Duration?) async {
      let caller = ledger.begin(ask, .owner, at: now)
      let name = "owner \(caller)"
      var owner: Owner? = Owner(name, ledger)
      guard
        let call = owner.map({ owner in
          client.send(request(ask), for: owner) { [self] owner, _ in
            owner.ledger.hand(over: caller, at: now)
            if defect == .handsOverTwice { owner.ledger.hand(over: caller, at: now) }
          }
        })
      else { return }
      let waiting = Task { await self.own(call, caller) }
      if let patience {
        await pause(patience)
        ledger.leave(caller, .scopeEnded(name), at: now)
        ledger.goes(caller, at: now)
        owner = nil
      }
      await waiting.value
      // The handler is called after the outcome, in a separate task.
      await pause(.milliseconds(1))
      withExtendedLifetime(owner) {}
    }
  }
#endif

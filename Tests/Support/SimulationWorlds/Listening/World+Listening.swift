#if os(Linux)
  import ErrandCore
  import ErrandStreaming
  import ErrandTesting

  extension World {
    /// Listens to an event stream until it ends or the user leaves.
    func listen(_ seed: SeededRandom) async {
      var random = seed
      let ask = ledger.nextAsk()
      let listener = Listener(
        id: ask, host: plan.hosts[Int.random(in: plan.hosts.indices, using: &random)],
        count: Int.random(in: 0...12, using: &random), began: now)
      let patience = random.patience()
      ledger.begin(listener, at: now)
      var options = EventStreamOptions()
      options.reachability = nil
      let request = Request.get("http://\(listener.host)\(EventServer.path(of: listener.count))")
        .field(Ask.idField, "\(ask)")
      let task = Task { [client, ledger] in
        do {
          for try await event in client.events(request, options: options) {
            ledger.hear(event.data, ask, at: now)
          }
          ledger.end(ask, Task.isCancelled ? .failed(.cancelled) : .over, at: now)
        } catch {
          ledger.end(ask, .failed((error as? RequestError)?.code ?? .cancelled), at: now)
        }
      }
      if let patience {
        await pause(patience)
        ledger.leaveListener(ask, at: now)
        task.cancel()
      }
      await task.value
    }
  }
#endif

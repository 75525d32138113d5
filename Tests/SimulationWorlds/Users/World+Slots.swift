#if os(Linux)
  import ErrandCore
  import ErrandTesting

  extension World {
    /// Asks for as much as may be in flight, and looks how much of it waits, though nothing else is under way.
    func lostSlots() async -> Int {
      guard plan.shutdown == nil, let total = plan.limits.total else { return 0 }
      if defect == .losesSlots { await loseSlots(total) }
      let (known, start) = (network.tries.count, now)
      await withDiscardingTaskGroup { group in
        for _ in 0..<min(total, plan.limits.perOrigin ?? total) {
          group.addTask { _ = try? await self.client.send(self.request("http://probe.test/")) }
        }
      }
      return network.tries[known...].filter { $0.began > start + Loitering.pause }.count
    }

    /// Takes all of them, with requests that nobody answers.
    private func loseSlots(_ count: Int) async {
      network.partition(for: .seconds(100))
      for host in 0..<count {
        _ = client.start(request("http://lost\(host).test/").timeout(.seconds(50)))
      }
      await pause(.seconds(1))
    }

    private func request(_ url: String) -> Request { .get(url).bestEffort().priority(.userInitiated) }
  }
#endif

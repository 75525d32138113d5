#if os(Linux)
  import ErrandCore
  import ErrandTesting

  extension World {
    /// Sends as many requests as may be in flight, and returns how many of them wait although no others are
    /// in flight.
    func lostSlots() async -> Int {
      guard plan.shutdown == nil, let total = plan.limits.total else { return 0 }
      if defect == .losesSlots { await loseSlots(total) }
      let (known, start) = (network.attempts.count, now)
      // The time that the requests take without waiting for a slot.
      let longest = Loitering.pause + SlowCache.longest
      await withDiscardingTaskGroup { group in
        for _ in 0..<min(total, plan.limits.perOrigin ?? total) {
          group.addTask { _ = try? await self.client.send(self.request(Self.probe)) }
        }
      }
      return network.attempts[known...].filter { $0.began > start + longest }.count
    }

    /// Takes all slots, with requests that get no response.
    private func loseSlots(_ count: Int) async {
      network.partition(for: .seconds(100))
      for host in 0..<count {
        _ = client.start(request("http://lost\(host).test/").timeout(.seconds(50)))
      }
      await pause(.seconds(1))
    }

    private func request(_ url: String) -> Request {
      .get(url).bestEffort().priority(.userInitiated).hedged(after: .never)
    }
  }
#endif

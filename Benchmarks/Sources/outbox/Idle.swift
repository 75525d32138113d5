import BenchmarkSupport
import ErrandCore
import ErrandCurl
import ErrandOutbox
import ErrandOutboxSQLite
import Foundation

/// Measures how often a process wakes up for an outbox with nothing to do.
struct Idle {
  let seconds: Int
  let place: Place

  func report() async throws {
    try await place.withFolder { folder in
      let client = Client(transport: CurlTransport())
      let outbox = try await Outbox(at: folder, client: client)
      // The work at opening is done before the measurement.
      try await Task.sleep(for: .seconds(2))
      let before = ProcessUsage.contextSwitches
      let cpu = ProcessUsage.cpuSeconds
      try await Task.sleep(for: .seconds(seconds))
      let switches = ProcessUsage.contextSwitches - before
      print(
        "idle for \(seconds) s: \(switches) context switches, "
          + "\(((ProcessUsage.cpuSeconds - cpu) * 1000).fixed(1)) ms of processor time "
          + "(from the poll interval of 60 s, and from the sleep of this benchmark)")
      await outbox.close()
      await client.shutdown()
    }
  }
}

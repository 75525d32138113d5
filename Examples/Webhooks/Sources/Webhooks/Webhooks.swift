import Errand
import Foundation

/// Sends webhooks to many customers. See README.md.
@main struct Webhooks {
  static let usage = """
    usage: webhooks customer NAME URL      add a customer, and print the secret
           webhooks send NAME ID JSON      store an event
           webhooks run [PORT]             deliver; PORT serves metrics
           webhooks failed                 list what was given up
           webhooks retry                  attempt it again
    The variable WEBHOOKS_STORE names a folder or a PostgreSQL database, and WEBHOOKS_CUSTOMERS the file of customers.
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("webhooks: \(error)\n".utf8))
      exit(1)
    }
  }

  static func run(_ arguments: [String]) async throws {
    let variables = ProcessInfo.processInfo.environment
    let customers = Customers(file: URL(filePath: variables["WEBHOOKS_CUSTOMERS"] ?? "customers.json"))
    let store = variables["WEBHOOKS_STORE"] ?? "webhooks"
    func withSender(delivers: Bool = false, _ work: (Sender) async throws -> Void) async throws {
      let sender = try await Sender(store: store, customers: customers, delivers: delivers)
      let result: Result<Void, any Error>
      do { result = .success(try await work(sender)) } catch { result = .failure(error) }
      await sender.close()
      try result.get()
    }

    switch (arguments.first, arguments.count) {
    case ("customer", 3):
      guard let url = URL(string: arguments[2]) else { throw Customers.Unknown(name: arguments[2]) }
      print(try customers.set(url, for: arguments[1]).secret)
    case ("send", 4):
      try await withSender { sender in
        print(try await sender.send(Data(arguments[3].utf8), id: arguments[2], to: arguments[1]).id)
      }
    case ("run", 1...2):
      try await withSender(delivers: true) { sender in
        let metrics = try arguments.dropFirst().first.flatMap { Int($0) }.map {
          try Metrics.serve(port: $0, sender.client, sender.outbox)
        }
        defer { metrics?.stop() }
        // Control-C and SIGTERM end the loop. Attempts in flight get 10 s, and the rest stays stored.
        try await untilSignal { for await event in sender.outbox.events { report(event) } }
      }
    case ("failed", 1):
      try await withSender { sender in
        for entry in try await sender.failed() { print(entry.id, entry.state, entry.reason ?? "") }
      }
    case ("retry", 1):
      try await withSender { sender in
        let entries = try await sender.outbox.retry(OutboxSelection(states: [.deadLettered, .expired]))
        print("\(entries.count) webhooks are attempted again")
      }
    default:
      print(usage)
      exit(2)
    }
  }

  static func report(_ event: OutboxEvent) {
    switch event.step {
    case .delivered(let response): print(event.id, "delivered:", response.status)
    case .failed(let reason, let next): print(event.id, "failed:", reason, "next attempt:", next)
    case .deadLettered(let reason, _): print(event.id, "given up:", reason)
    case .expired: print(event.id, "given up: it is too old")
    case .dropped, .stored, .attempting: break
    }
  }
}

#if ERRAND_INSPECTOR
  import ErrandCore
  import ErrandOutbox
  import ErrandServing

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Records a client's calls, serves the page, and sends it the changes.
  final class InspectorCore: BodyListener {
    private struct Serving {
      let server: PageServer
      let pump: Task<Void, Never>
    }

    /// The interval at which open pages receive changes.
    private static let interval = Duration.milliseconds(100)
    /// The greatest number of calls in one message.
    private static let mostRows = 500
    /// The interval at which an outbox is read, while a page is open and otherwise.
    private static let outboxInterval = (open: Duration.seconds(1), closed: Duration.seconds(10))

    let bodyLimit: Int
    /// The page's title.
    let name = Locked(ProcessInfo.processInfo.processName)
    private let client: Client?
    private let shown: Locked<OutboxConsole?>
    private let store: Locked<CallStore>
    private let limits: Inspector.Limits
    private let serving = Locked<Serving?>(nil)
    private let isStopped = Locked(false)
    /// Held while messages are sent. Otherwise a page that opens meanwhile would miss the changes between its
    /// first rows and its first message.
    private let telling = Locked(())

    init(_ client: Client?, _ outbox: Outbox?, _ limits: Inspector.Limits) {
      self.client = client
      shown = Locked(outbox.map { OutboxConsole($0) })
      self.limits = limits
      bodyLimit = limits.bodyLength
      store = Locked(CallStore(limits))
      client?.attach(InspectorListener(self))
    }

    private var outbox: OutboxConsole? { shown.withLock { $0 } }

    func show(_ outbox: Outbox) {
      let console = OutboxConsole(outbox)
      shown.withLock { $0 = console }
      serving.withLock { $0 }?.server.broadcast(ServerEvent.data("has", parts))
    }

    private var parts: InspectorParts {
      InspectorParts(name: name.withLock { $0 }, client: client != nil, outbox: outbox != nil)
    }

    func record(_ event: CallEvent) {
      if !isStopped.withLock({ $0 }) { store.withLock { $0.take(event) } }
    }

    func serve(port: Int) throws -> URL {
      let token = (0..<4).map { _ in Self.digits(UInt32.random(in: 0 ... .max)) }.joined()
      let routes = Locked<InspectorRoutes?>(nil)
      let server: PageServer
      do {
        server = try PageServer(port: port) { request, reply in
          // The strong capture of `self` keeps the inspector alive until `stop`.
          guard let routes = routes.withLock({ $0 }) else { return reply(.refused(503)) }
          self.answer(request, routes, reply)
        }
      } catch {
        throw Inspector.Failure(description: error.description)
      }
      close()
      isStopped.withLock { $0 = false }
      routes.withLock { $0 = InspectorRoutes(token: token, port: server.port) }
      let pump = Task { [weak self] in
        var lastReading: ContinuousClock.Instant?
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.interval)
          guard let self else { return }
          self.tell(server)
          self.outbox?.beginDue()
          let interval = server.streams > 0 ? Self.outboxInterval.open : Self.outboxInterval.closed
          if let lastReading, ContinuousClock.now - lastReading < interval { continue }
          lastReading = .now
          await self.tellOutbox(server)
        }
      }
      serving.withLock { $0 = Serving(server: server, pump: pump) }
      guard let url = URL(string: "http://127.0.0.1:\(server.port)/\(token)/") else {
        throw Inspector.Failure(description: "the URL of the page is invalid")
      }
      return url
    }

    func stop() {
      isStopped.withLock { $0 = true }
      close()
      store.withLock { $0 = CallStore(limits) }
      outbox?.forgetPending()
    }

    private func close() {
      let serving = serving.withLock { serving in
        defer { serving = nil }
        return serving
      }
      serving?.pump.cancel()
      serving?.server.stop()
    }

    private static func digits(_ number: UInt32) -> String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }

    // MARK: Messages to the pages

    private func tell(_ server: PageServer) {
      guard server.streams > 0 else { return }
      while tellChanges(server) {}
      let state = InspectorState(
        client: client?.slotRows, now: client.map { CallRow.milliseconds($0.timeline.now()) })
      server.broadcast(ServerEvent.data("state", state))
    }

    private func tellOutbox(_ server: PageServer) async {
      guard let outbox else { return }
      do {
        let summary = try await outbox.summary()
        if server.streams > 0 { server.broadcast(ServerEvent.data("outbox", summary)) }
      } catch {
        server.broadcast(ServerEvent.data("failure", ["text": "the outbox cannot be read: \(error)"]))
      }
    }

    /// The messages that show all of these calls, each with few calls, so that no message keeps a page busy for long.
    private func snapshot(_ calls: [CallRecord]) -> Data {
      let rows = calls.map(CallRow.init)
      var data = ServerEvent.data("snapshot", Array(rows.prefix(Self.mostRows)))
      for begin in stride(from: Self.mostRows, to: rows.count, by: Self.mostRows) {
        data += ServerEvent.data("calls", Array(rows[begin..<min(rows.count, begin + Self.mostRows)]))
      }
      return data
    }

    /// Sends some changes, and returns true if more may follow.
    private func tellChanges(_ server: PageServer) -> Bool {
      telling.withLock { _ in
        switch store.withLock({ $0.takeChanges(Self.mostRows) }) {
        case .all(let calls):
          server.broadcast(snapshot(calls))
          return false
        case .some(let changed, let gone):
          if !changed.isEmpty { server.broadcast(ServerEvent.data("calls", changed.map(CallRow.init))) }
          if !gone.isEmpty { server.broadcast(ServerEvent.data("gone", gone)) }
          return changed.count == Self.mostRows
        }
      }
    }

    // MARK: Requests of the page

    private func answer(
      _ request: ServedRequest, _ routes: InspectorRoutes,
      _ reply: @escaping @Sendable (ServedResponse) -> Void
    ) {
      switch routes.route(request) {
      case .refused(let status): reply(.refused(status))
      case .file(let file): reply(.file(file))
      case .events:
        telling.withLock { _ in
          let calls = store.withLock { $0.calls }
          let first = ServerEvent.data("has", parts) + snapshot(calls)
          reply(.events(fields: InspectorRoutes.eventFields, first: first))
        }
        // The page does not wait for the next reading.
        Task { [weak self] in
          guard let self, let server = self.serving.withLock({ $0 })?.server else { return }
          await self.tellOutbox(server)
        }
      case .details(let id):
        let record = store.withLock { $0[id] }
        compose(reply) { record.map { .json(CallDetails($0)) } ?? .refused(404) }
      case .export:
        let calls = store.withLock { $0.calls }
        compose(reply) { .json(calls.map { InspectorExport(row: CallRow($0), details: CallDetails($0)) }) }
      case .cache:
        Task { [client] in reply(.json(await client?.cachedRows() ?? [])) }
      case .har:
        let calls = store.withLock { $0.calls }
        compose(reply) { .json(data: InspectorHAR.file(calls)) }
      case .requests(let filter, let after, let limit):
        read(reply) { try await $0.page(filter, after: after, limit: limit) }
      case .count(let filter, let after): read(reply) { try await $0.count(filter, after: after) }
      case .request(let id): read(reply) { try await $0.details(of: id) }
      case .action(let action):
        Task { [weak self] in
          do {
            try await self?.carryOut(action)
            reply(.json(["done": true]))
            if let self, let server = self.serving.withLock({ $0 })?.server { await self.tellOutbox(server) }
          } catch {
            reply(.json(["error": "\(error)"]))
          }
        }
      }
    }

    /// Composes a response in a task, because the bodies of many calls take long, and all pages share one thread.
    private func compose(
      _ reply: @escaping @Sendable (ServedResponse) -> Void, _ body: @escaping @Sendable () -> ServedResponse
    ) {
      Task(priority: .utility) { reply(body()) }
    }

    /// Reads from the outbox, and replies with the result.
    private func read<Value: Encodable & Sendable>(
      _ reply: @escaping @Sendable (ServedResponse) -> Void,
      _ body: @escaping @Sendable (OutboxConsole) async throws -> Value?
    ) {
      guard let outbox else { return reply(.refused(404)) }
      Task {
        do {
          reply(try await body(outbox).map { .json($0) } ?? .refused(404))
        } catch {
          reply(.refused(503))
        }
      }
    }

    private func carryOut(_ action: InspectorAction) async throws {
      switch action.name {
      case "clear": store.withLock { $0.clear() }
      case "resend":
        guard let client, let id = action.call, let record = store.withLock({ $0[id] }), record.canResend
        else {
          throw Inspector.Failure(
            description: "the request cannot be sent again, because its body was deleted to save memory")
        }
        // The page shows the new call like any other, so its response does not wait for the call's end.
        Task { _ = try? await client.resend(record.request) }
      default:
        guard let outbox else { throw Inspector.Failure(description: "this inspector shows no outbox") }
        try await outbox.take(action)
      }
    }
  }

  /// Passes events on without keeping the inspector alive, because a client retains its listeners.
  private final class InspectorListener: BodyListener {
    private weak let core: InspectorCore?
    let bodyLimit: Int

    init(_ core: InspectorCore) {
      self.core = core
      bodyLimit = core.bodyLimit
    }

    func record(_ event: CallEvent) { core?.record(event) }
  }
#endif

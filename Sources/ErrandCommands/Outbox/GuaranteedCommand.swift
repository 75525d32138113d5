import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stores a request and attempts it until it is delivered.
struct GuaranteedCommand {
  /// How long attempts of other requests may take to end after this request has ended.
  private static let farewell = Duration.seconds(5)
  /// The same after control-C, because the user waits then.
  private static let shortFarewell = Duration.seconds(1)

  let transfer: Transfer
  let guarantee: Guarantee
  /// The file of options, whose credentials older requests to the same server need.
  let file: ConfigFile
  let console: Console

  private var isJSON: Bool { transfer.format == .json }

  func run() async throws -> ExitCode {
    do {
      let place = try OutboxPlace(guarantee.store, bodies: guarantee.bodies)
      let input = SpooledInput()
      defer { input.remove() }
      let login = try Login(transfer, console)
      let built = try await RequestBuilder(
        transfer: transfer, login: login, console: console, spool: input, streams: false
      ).request()
      let request = GuaranteedRequest(built, keepsSecrets: guarantee.isDetached)
      return guarantee.isDetached
        ? try await store(request, place) : try await storeAndDeliver(request, place)
    } catch OutputDescriptor.Failure.readerGone {
      throw OutputDescriptor.Failure.readerGone
    } catch {
      var failure = CommandFailure(error, transfer)
      if let hint = hint(for: error) { failure.hint = hint }
      return try end(failure)
    }
  }

  // MARK: Storing only

  private func store(_ request: GuaranteedRequest, _ place: OutboxPlace) async throws -> ExitCode {
    let outbox = try await place.open()
    do {
      let receipt = try await enqueue(request, outbox)
      try await show(receipt)
      await outbox.close()
      return .success
    } catch {
      await outbox.close()
      throw error
    }
  }

  private func show(_ receipt: Receipt) async throws {
    do {
      if isJSON {
        if let entry = try await receipt.status() { try console.show(OutboxRecord(entry)) }
      } else {
        try console.output.write(ControlEscaper.line("\(receipt.id)") + "\n")
      }
    } catch let error as OutputDescriptor.Failure {
      guard case .unwritable = error else { throw error }
      let failure = CommandFailure(error)
      throw CommandFailure(
        failure.exit, failure.code, "the request was stored as \(receipt.id), but \(failure.message)")
    }
  }

  private func enqueue(_ request: GuaranteedRequest, _ outbox: Outbox) async throws -> Receipt {
    try await outbox.enqueue(
      OutboxItem(
        request.request, lane: guarantee.lane, key: guarantee.key, expires: guarantee.expires,
        notBefore: guarantee.delay.map { Date().addingTimeInterval($0.seconds) },
        id: guarantee.id.map(OutboxID.init(rawValue:)), ifKnown: guarantee.replaces ? .replace : .ignore))
  }

  // MARK: Delivering

  private func storeAndDeliver(_ request: GuaranteedRequest, _ place: OutboxPlace) async throws -> ExitCode {
    let client = try client(request)
    let page = try InspectedCalls.show(client)
    let outbox = try await place.open(client, configuration(request))
    page?.show(outbox)
    do {
      let receipt = try await enqueue(request, outbox)
      tell("stored as \(receipt.id)")
      let outcome = await follow(receipt)
      let entry = try? await receipt.status()
      guard let outcome else {
        await outbox.close(within: Self.shortFarewell)
        return try end(interrupted(receipt.id, request, place), entry)
      }
      let code = try end(outcome, receipt.id, entry, place)
      await outbox.close(within: Self.farewell)
      return code
    } catch {
      await outbox.close(within: Self.shortFarewell)
      throw error
    }
  }

  private func client(_ request: GuaranteedRequest) throws -> Client {
    var configuration = ClientConfiguration()
    if let credentials = request.credentials { configuration.attemptInterceptors.append(credentials) }
    if let credentials = ServerCredentials(file: file) {
      configuration.attemptInterceptors.append(credentials)
    }
    return Client(transport: try transfer.connection.transport(console), configuration: configuration)
  }

  private func configuration(_ request: GuaranteedRequest) -> OutboxConfiguration {
    var configuration = OutboxConfiguration()
    let console = console
    configuration.onStoreFailure = { console.say("errand: \($0)") }
    // Older requests to other servers would be sent first, and this process lacks their credentials.
    let keys = Set([nil, guarantee.key])
    configuration.deliversOnly = request.request.url.map { url in keys.map { (url, $0) } } ?? []
    // Other requests to this server are delivered, too. They must not become dead letters because this process
    // lacks their credentials.
    configuration.delivery.classify = { attempt in
      let decision = DeliveryDecision.standard(attempt)
      guard !request.isSame(as: attempt.request), let status = attempt.status,
        [401, 407].contains(status.code)
      else { return decision }
      switch decision {
      case .reject(let reason), .unauthorized(let reason):
        return .retry(reason: "\(reason): this process may lack credentials; errand outbox run -H adds them")
      default: return decision
      }
    }
    return configuration
  }

  /// Reports each attempt, and returns the outcome, or nil if a signal ends the process before that.
  private func follow(_ receipt: Receipt) async -> OutboxOutcome? {
    var number = 0
    for await event in receipt.events {
      if let outcome = event.outcome { return outcome }
      switch event.step {
      case .attempting(let count):
        number = count
        tell("attempt \(count)")
      case .failed(let reason, let next):
        tell("\(number > 0 ? "attempt \(number)" : "the last attempt"): \(reason)")
        tell("next attempt \(SpanText.until(next, at: Date()))")
      default: break
      }
    }
    return nil
  }

  private func tell(_ progress: String) {
    if !transfer.isSilent { console.say("* \(progress)") }
  }

  // MARK: The end

  private func end(
    _ outcome: OutboxOutcome, _ id: OutboxID, _ entry: OutboxEntry?, _ place: OutboxPlace
  ) throws -> ExitCode {
    let asked = entry.map { "\($0.method) \($0.url)" } ?? "\(transfer.method)"
    switch outcome {
    case .delivered(let response):
      try show(response, entry)
      return .success
    case .deadLettered(let reason, let response):
      if let response, !isJSON { try show(response, entry) }
      // The body is shown, so the reason need not quote it.
      let reason = response == nil ? reason : entry?.reasonWithoutWords ?? reason
      return try end(
        CommandFailure(
          .deadLettered, "deadLettered", "\(asked): moved to the dead letters: \(reason)",
          hint: "To attempt it again: errand outbox retry \(id)\(place.option)."
            + " To give it up: errand outbox drop \(id)\(place.option)."),
        entry)
    case .expired:
      return try end(
        CommandFailure(.expired, "expired", "\(asked): the request expired before it was delivered"), entry)
    case .dropped(let reason):
      return try end(CommandFailure(.expired, "dropped", "\(asked): \(reason)"), entry)
    }
  }

  private func show(_ response: OutboxResponse, _ entry: OutboxEntry?) throws {
    if isJSON { return try console.show(report(entry, response)) }
    if transfer.showsHead {
      try console.output.write(head: Console.head(response.status, response.fields, version: nil))
    }
    var writer = BodyWriter(console.output)
    try writer.write(response.body)
    try writer.finish()
    if !response.isWhole {
      console.say("errand: only the first \(response.body.count) bytes of the body were stored")
    }
  }

  /// - Parameter response: The response from the event, because the entry may have only a part of it.
  private func report(_ entry: OutboxEntry?, _ response: OutboxResponse? = nil) -> JSONReport {
    var report = JSONReport(method: transfer.method, url: entry?.url)
    report.stored = entry.map { OutboxRecord($0) }
    if let response = response ?? entry?.response {
      report.setResponse(response.status, response.fields)
      report.setBody(response.body)
      if !response.isWhole { report.isWhole = false }
    }
    return report
  }

  private func end(_ failure: CommandFailure, _ entry: OutboxEntry? = nil) throws -> ExitCode {
    if isJSON {
      var report = report(entry)
      report.setFailure(failure)
      try console.show(report)
    } else if failure.exit != .interrupted || entry != nil {
      console.say(failure)
    }
    return failure.exit
  }

  private func interrupted(
    _ id: OutboxID, _ request: GuaranteedRequest, _ place: OutboxPlace
  ) -> CommandFailure {
    var command = "errand outbox run\(place.option)"
    if let secret = request.secrets.first, let url = request.request.url, let host = url.host() {
      let port = url.port.map { ":\($0)" } ?? ""
      command += " -H '\(secret.name): ...' --to \(url.scheme ?? "https")://\(host)\(port)"
    }
    if transfer.connection != ConnectionArguments() { command += " (and the same connection options)" }
    return CommandFailure(
      .interrupted, "cancelled", "\(id) is stored, but not delivered yet", hint: "To deliver it: \(command)")
  }

  private func hint(for error: any Error) -> String? {
    switch error {
    case let error as OutboxError where error.code == .notStorable:
      return
        "Give it to the process that delivers: errand outbox run --bearer @FILE --to https://api.example.com,"
        + " or write it into the file of options, in the server's section."
    default: return nil
    }
  }
}

extension DeliveryAttempt {
  /// The response's status; nil without a response.
  var status: HTTPStatus? {
    switch result {
    case .success(let response): response.status
    case .failure(let error): (error as? RequestError)?.status
    }
  }
}

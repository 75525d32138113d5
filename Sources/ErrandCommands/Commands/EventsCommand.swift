import ErrandCore
import ErrandStreaming

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options and operands for an event stream.
struct EventsAction: Sendable, Hashable {
  var transfer: Transfer
  /// The id after which the stream begins; nil for none.
  var lastID: String?
  /// True to end after the first event.
  var endsAfterFirst = false

  init(_ arguments: ScannedArguments) throws(UsageError) {
    transfer = try Transfer(arguments, method: .get, url: arguments.operands[0])
    if transfer.body != .none { transfer.method = .post }
    lastID = arguments.last(.lastID)
    endsAfterFirst = arguments.has(.onceEvent)
  }
}

/// Prints the events of an event stream as they arrive.
struct EventsCommand {
  /// An event, as `--output json` shows it.
  private struct Row: Encodable {
    let type: String
    let id: String
    let data: String
  }

  let action: EventsAction
  let console: Console

  func run() async throws -> ExitCode {
    let transfer = action.transfer
    let limit = transfer.timeout ?? .seconds(10)
    let scope = RequestScope("events")
    let isLate = Flag()
    let spool = SpooledInput()
    defer { spool.remove() }
    do {
      let login = try Login(transfer, console)
      var request = try await RequestBuilder(
        transfer: transfer, login: login, console: console, spool: spool, streams: false
      ).request()
      request.options.deadline = transfer.deadline
      if transfer.printsCommand {
        let command = CurlCommand(
          request.askingForEvents(after: action.lastID ?? ""), transfer, login, isEndless: true)
        try command.print(on: console)
        return .success
      }
      let client = try ClientBuilder(
        transfer: transfer, login: login, console: console,
        listeners: try transfer.recording.listeners(console), cache: nil, connections: Connections(),
        headTimeout: HeadTimeout(limit: limit) {
          isLate.set()
          scope.end()
        }
      ).client()
      try InspectedCalls.show(client)
      for try await event in client.events(request, after: action.lastID, options: options, in: scope) {
        try show(event)
        if action.endsAfterFirst { break }
      }
      return .success
    } catch OutputDescriptor.Failure.readerGone {
      throw OutputDescriptor.Failure.readerGone
    } catch {
      let late = CommandFailure(
        .timedOut, RequestError.Code.timedOut.rawValue,
        "\(Request(transfer.method, transfer.url)): no response has begun for \(Amounts.time(limit))",
        hint: "To wait longer: --timeout 60s.")
      let failure = isLate.isSet ? late : CommandFailure(error, transfer)
      return try console.end(with: failure, as: transfer.format)
    }
  }

  private var options: EventStreamOptions {
    var options = EventStreamOptions()
    options.onReconnection = { [console, retries = action.transfer.retries] reconnection in
      // A typing error in the URL must not be tried for ever.
      if !reconnection.hasOpened, reconnection.attempt > retries, let error = reconnection.error {
        throw error
      }
      let reason = reconnection.error.map { "\($0)" } ?? "the server closed the stream"
      console.say("errand: \(reason); connecting again in \(Amounts.time(reconnection.delay))")
    }
    return options
  }

  private func show(_ event: ServerSentEvent) throws {
    if action.transfer.format == .json {
      let row = Row(type: event.type, id: event.id, data: event.data)
      return try console.output.write(JSONText.text(row, isPretty: false) + "\n")
    }
    guard console.output.isTerminal else { return try console.output.write(event.data + "\n") }
    var escaper = ControlEscaper(keepsLines: true)
    try console.output.write(escaper.escape(event.data.utf8) + escaper.finish() + [0x0A])
  }
}

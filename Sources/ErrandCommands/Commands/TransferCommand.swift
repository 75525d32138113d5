import ErrandCore
import ErrandUploads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends one request and shows its response as the command line asks.
struct TransferCommand {
  private(set) var transfer: Transfer
  let console: Console
  let connections: Connections

  init(transfer: Transfer, console: Console, connections: Connections = Connections()) {
    self.transfer = transfer
    self.console = console
    self.connections = connections
  }

  mutating func run() async throws -> ExitCode {
    do {
      if let path = transfer.session { try SessionFile.use(path, in: &transfer) }
    } catch {
      return try console.end(with: CommandFailure(error), as: transfer.format)
    }
    return try await send()
  }

  private func send() async throws -> ExitCode {
    let isTerminal = console.error.isTerminal
    // `--verbose` reports line by line, and these lines would break a line that is redrawn.
    let display = transfer.activity.map {
      ActivityDisplay($0, console.error, redraws: isTerminal && !transfer.isVerbose)
    }
    let bar =
      transfer.showsProgress && isTerminal && display == nil ? ProgressBar(console.error, name: name) : nil
    let line: (any LiveLine)? = if let display { display } else { bar }
    // Only one line can be redrawn, so waits are not shown beside an activity.
    let showsWaits = isTerminal && display == nil && !transfer.isVerbose && transfer.retries > 0
    let watch = CallWatch(showsWaits ? WaitLine(console.error, attempts: transfer.retries + 1) : nil)
    let delivery: any Delivery =
      transfer.format == .json
      ? JSONDelivery(transfer, console, line) : PlainDelivery(transfer, console, line, watch)
    let spool = SpooledInput()
    defer { spool.remove() }
    let cache = transfer.cache.map { folder in
      DiskResponseCache(folder: URL(filePath: folder)) { [console] in console.say("errand: cache: \($0)") }
    }
    do {
      let login = try Login(transfer, console)
      // JSON is checked completely before any of it is sent, so a long JSON body goes to a file first.
      var request = try await RequestBuilder(
        transfer: transfer, login: login, spool: spool,
        streams: !transfer.body.isJSON && !transfer.readsBodyTwice && !transfer.readsPipe
      ).request()
      // A cached response is not seen by the observer of attempts.
      if transfer.cache != nil, transfer.retries == 0, transfer.target == .standardOutput {
        request = request.acceptingAnyStatus()
      }
      if transfer.printsCommand {
        let command = CurlCommand(request, transfer, login)
        try console.output.write(command.line + "\n")
        for reason in command.leftOut { console.say("errand: --curl leaves out \(reason)") }
        return .success
      }
      if let file = finishedFile(request.url), try await isComplete(file, request, login) {
        console.say("errand: \(file.path) is complete already")
        return .success
      }
      let target =
        transfer.target == .standardOutput || request.url == nil
        ? nil : try FileTarget(transfer.target, url: request.url)
      let listeners = try transfer.recording.listeners(console)
      let client = try ClientBuilder(
        transfer: transfer, login: login, console: console,
        listeners: listeners + (isTerminal ? [watch] : []), cache: cache, connections: connections,
        acceptsAnyStatus: transfer.upload == nil, body: request.body
      ).client()
      try InspectedCalls.show(client)
      if let display {
        try await display.during {
          try await perform(request.activity($0), to: target, client, delivery, line, login.verification)
        }
      } else {
        let progress: ProgressHandler? = if let bar { { bar.update($0) } } else { nil }
        try await perform(request, to: target, client, delivery, line, login.verification, progress)
      }
      line?.end()
      await cache?.endScan()
      return .success
    } catch is OfflineTransport.Printed {
      return .success
    } catch OutputDescriptor.Failure.readerGone {
      line?.end()
      throw OutputDescriptor.Failure.readerGone
    } catch {
      line?.end()
      await cache?.endScan()
      var failure = CommandFailure(error, transfer)
      if transfer.signatures.verificationKey != nil {
        failure = (error as? RequestError).flatMap(ResponseVerification.failure) ?? failure
        // The response of a failure is not verified, so it is not shown.
        failure.cause = nil
      }
      try await delivery.fail(failure)
      return failure.exit
    }
  }

  private func perform(
    _ request: Request, to target: FileTarget?, _ client: Client, _ delivery: any Delivery,
    _ line: (any LiveLine)?, _ verification: ResponseVerification?, _ progress: ProgressHandler? = nil
  ) async throws {
    if let upload = transfer.upload {
      return try await perform(upload, of: request, client, delivery, progress)
    }
    if let verification {
      // The whole response is verified before any of it is shown.
      let response = try await client.send(verification.prepared(request), progress: progress)
      return try await delivery.deliver(response, to: console.output)
    }
    switch target {
    case nil:
      let response = try await client.stream(request, progress: progress)
      try await delivery.deliver(response, to: console.output)
    case .device(let path):
      let output = try OutputDescriptor(opening: path)
      try await delivery.deliver(try await client.stream(request, progress: progress), to: output)
    case .descriptor(let number):
      let output = OutputDescriptor(number)
      try await delivery.deliver(try await client.stream(request, progress: progress), to: output)
    case .file(let path):
      let file = URL(filePath: path)
      let response = try await client.download(
        request, to: file, resume: transfer.resumes, progress: progress)
      line?.end()
      try delivery.delivered(response, in: try named(path, by: response))
    }
  }

  private func perform(
    _ upload: Transfer.ResumedUpload, of request: Request, _ client: Client, _ delivery: any Delivery,
    _ progress: ProgressHandler?
  ) async throws {
    let folder = URL(filePath: try OutboxPlace.stateFolder() + "/uploads", directoryHint: .isDirectory)
    var resumption = UploadResumption.automatic
    switch upload {
    case .automatic: break
    case .tus: resumption = .tus
    case .abandoned:
      let wasKept = try await client.abandonUpload(request, keptIn: folder)
      return console.say(
        wasKept ? "errand: the upload was removed from the server" : "errand: no such upload is kept")
    }
    let response = try await client.upload(request, resuming: resumption.kept(in: folder), progress: progress)
    try await delivery.deliver(response, to: console.output)
  }

  /// The file that an earlier `--resume` has finished; nil if there is none.
  private func finishedFile(_ url: URL?) -> (path: String, size: Int)? {
    let path: String? =
      switch transfer.target {
      case .standardOutput: nil
      case .file(let path): path
      case .fileNamedByURL: FileTarget.nameOfDownload(from: url)
      }
    guard transfer.resumes, let path, let status = FileDescriptor.status(of: path), status.isRegular else {
      return nil
    }
    return (path, status.size)
  }

  /// Asks the server for the length of the response, and returns true if the file has it.
  private func isComplete(
    _ file: (path: String, size: Int), _ request: Request, _ login: Login
  ) async throws -> Bool {
    let client = try ClientBuilder(
      transfer: transfer, login: login, console: console, listeners: [], cache: nil, connections: connections
    ).client()
    var head = request.field("Accept-Encoding", "identity")
    head.method = .head
    guard let response = try? await client.send(head), response.status.isSuccess else { return false }
    return response.fields["Content-Length"].flatMap { Int($0) } == file.size
  }

  /// Gives a file without a name of the user's choice the name in the response, if no file has it. Returns the name.
  private func named(_ path: String, by response: Response) throws -> String {
    guard transfer.target == .fileNamedByURL, !transfer.resumes, response.file != nil,
      let name = response.fields["Content-Disposition"].flatMap(FileTarget.name(inDisposition:)), name != path
    else { return path }
    // Unlike a renaming, a link never replaces a file.
    do {
      try FileManager.default.linkItem(atPath: path, toPath: name)
      try FileManager.default.removeItem(atPath: path)
      return name
    } catch {
      console.say("errand: \(name) already exists and was not changed")
      return path
    }
  }

  /// The name that the progress bar shows.
  private var name: String {
    switch (transfer.target, transfer.body) {
    case (.file(let path), _): path.split(separator: "/").last.map(String.init) ?? path
    case (_, .file(let path, _)): path.split(separator: "/").last.map(String.init) ?? path
    case (.fileNamedByURL, _): FileTarget.nameOfDownload(from: URL(string: transfer.url))
    default: "upload"
    }
  }
}

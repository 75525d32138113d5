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
      if let path = transfer.session {
        try SessionFile.use(path, in: &transfer, stores: !transfer.isOffline && !transfer.printsCommand)
      }
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
    let showsWaits =
      isTerminal && !transfer.isSilent && display == nil && !transfer.isVerbose && transfer.retries > 0
    let watch = CallWatch(showsWaits ? WaitLine(console.error, attempts: transfer.retries + 1) : nil)
    let delivery: any Delivery =
      transfer.format == .json
      ? JSONDelivery(transfer, console, line) : PlainDelivery(transfer, console, line, watch)
    let spool = SpooledInput()
    defer { spool.remove() }
    if let folder = transfer.cache, case .regular? = try? FilePlace(folder),
      FileDescriptor.status(of: folder) != nil
    {
      console.say("errand: \(folder) is a file, not a folder, so no response is kept")
    }
    let cache = transfer.cache.map { folder in
      DiskResponseCache(folder: URL(literalPath: folder)) { [console] in console.say("errand: cache: \($0)") }
    }
    var output: OutputDescriptor? = console.output
    do {
      let login = try Login(transfer, console)
      // JSON is checked completely before any of it is sent, so a long JSON body goes to a file first.
      var request = try await RequestBuilder(
        transfer: transfer, login: login, console: console, spool: spool,
        streams: !transfer.body.isJSON && !transfer.readsBodyTwice && !transfer.readsPipe
      ).request()
      if transfer.printsCommand {
        try CurlCommand(request, transfer, login).print(on: console)
        return .success
      }
      if let file = finishedFile(request.url), try await isComplete(file, request, login) {
        console.say("errand: \(file.path) is complete already")
        return .success
      }
      let target =
        transfer.target == .standardOutput || request.url == nil
        ? nil : try FileTarget(transfer.target, url: request.url)
      if let target { output = try target.opened() }
      // A cached response is not seen by the observer of attempts.
      if transfer.cache != nil, transfer.retries == 0, output != nil {
        request = request.acceptingAnyStatus()
      }
      let listeners = transfer.isOffline ? [] : try transfer.recording.listeners(console)
      let client = try ClientBuilder(
        transfer: transfer, login: login, console: console,
        listeners: listeners + (isTerminal ? [watch] : []), cache: cache, connections: connections,
        acceptsAnyStatus: transfer.upload == nil && output != nil, body: request.body,
        onlyShownURL: transfer.upload == nil ? nil : request.url
      ).client()
      try InspectedCalls.show(client)
      if let display {
        try await display.during { [output] in
          try await perform(
            request.activity($0), to: target, output, client, delivery, line, login.verification)
        }
      } else {
        let progress: ProgressHandler? = if let bar { { bar.update($0) } } else { nil }
        try await perform(request, to: target, output, client, delivery, line, login.verification, progress)
      }
      line?.end()
      await cache?.endScan()
      return login.cookiesHaveFailed.isSet ? .localFile : .success
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
      // A file holds no rejected response, and a program that reads standard output expects none there.
      try await delivery.fail(failure, bodyTo: output ?? console.error)
      return failure.exit
    }
  }

  private func perform(
    _ request: Request, to target: FileTarget?, _ output: OutputDescriptor?, _ client: Client,
    _ delivery: any Delivery,
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
    if let output {
      try await delivery.deliver(try await client.stream(request, progress: progress), to: output)
    } else if case .file(let path) = target {
      let hasChosenName = transfer.target != .fileNamedByURL || transfer.resumes
      let place = hasChosenName ? path : ".errand-\(UUID().uuidString)"
      let response = try await client.download(
        request, to: URL(literalPath: place), resume: transfer.resumes, progress: progress)
      line?.end()
      let name = hasChosenName || response.file == nil ? path : try move(place, to: path, named: response)
      try delivery.delivered(response, in: name)
    }
  }

  private func perform(
    _ upload: Transfer.ResumedUpload, of request: Request, _ client: Client, _ delivery: any Delivery,
    _ progress: ProgressHandler?
  ) async throws {
    let folder = URL(literalPath: try OutboxPlace.stateFolder() + "/uploads", directoryHint: .isDirectory)
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
  private func finishedFile(_ url: URL?) -> (path: String, status: FileStatus)? {
    let path: String? =
      switch transfer.target {
      case .standardOutput: nil
      case .file(let path): path
      case .fileNamedByURL: FileTarget.nameOfDownload(from: url)
      }
    guard transfer.resumes, let path, let status = FileDescriptor.status(of: path), status.isRegular else {
      return nil
    }
    return (path, status)
  }

  /// Asks the server for the length of the response, and returns true if the file has it, and is not older.
  private func isComplete(
    _ file: (path: String, status: FileStatus), _ request: Request, _ login: Login
  ) async throws -> Bool {
    let client = try ClientBuilder(
      transfer: transfer, login: login, console: console, listeners: [], cache: nil, connections: connections
    ).client()
    var head = request.field("Accept-Encoding", "identity")
    head.method = .head
    guard let response = try? await client.send(head), response.status.isSuccess else { return false }
    let changed = response.fields["Last-Modified"].flatMap(HTTPDate.parse)
    return response.fields["Content-Length"].flatMap { Int($0) } == file.status.size
      && file.status.modified >= changed ?? .distantPast
  }

  /// Moves a complete download to the name in the response, or else to that of the URL. A file that has the name
  /// already, or got it meanwhile, is not replaced. Returns the name.
  private func move(_ part: String, to name: String, named response: Response) throws -> String {
    defer { FileDescriptor.remove(part) }
    var given = response.fields["Content-Disposition"].flatMap(FileTarget.name(inDisposition:))
    if given == name { given = nil }
    var taken = FileTarget.exists(name)
    for name in [given, name].compactMap(\.self) {
      do throws(FileError) {
        // Only the creation of a file tells whether another process has created it.
        _ = try FileDescriptor(usual: name)
        try FileDescriptor.move(part, to: name)
        return name
      } catch {
        guard error.isTaken else { throw error }
        taken = FileTarget.exists(name)
        if name == given { console.say("errand: \(taken.message)") }
      }
    }
    throw taken
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

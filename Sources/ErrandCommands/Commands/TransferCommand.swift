import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Sends one request and delivers its answer as the command line asks for.
struct TransferCommand {
  let transfer: Transfer
  let console: Console

  func run() async throws -> ExitCode {
    let bar =
      transfer.showsProgress && console.error.isTerminal ? ProgressBar(console.error, name: name) : nil
    let delivery: any Delivery =
      transfer.format == .json
      ? JSONDelivery(transfer, console, bar) : PlainDelivery(transfer, console, bar)
    do {
      let request = try await RequestBuilder(transfer: transfer).request()
      let client = try ClientBuilder(transfer: transfer, console: console).client()
      try await perform(request, client, delivery, bar)
      bar?.clear()
      return .success
    } catch Outlet.Failure.readerGone {
      bar?.clear()
      throw Outlet.Failure.readerGone
    } catch {
      bar?.clear()
      let failure = CommandFailure(error, transfer)
      try await delivery.fail(failure)
      return failure.exit
    }
  }

  private func perform(
    _ request: Request, _ client: Client, _ delivery: any Delivery, _ bar: ProgressBar?
  ) async throws {
    let progress: ProgressHandler? = if let bar { { bar.update($0) } } else { nil }
    guard transfer.target != .standardOutput, request.url != nil else {
      let response = try await client.stream(request, progress: progress)
      return try await delivery.deliver(response, to: console.output)
    }
    switch try FileTarget(transfer.target, url: request.url) {
    case .device(let path):
      let outlet = try Outlet(opening: path)
      try await delivery.deliver(try await client.stream(request, progress: progress), to: outlet)
    case .file(let path):
      let file = URL(filePath: path)
      let response = try await client.download(
        request, to: file, resume: transfer.resumes, progress: progress)
      bar?.clear()
      try delivery.delivered(response, in: path)
    }
  }

  /// What the progress bar is about.
  private var name: String {
    switch (transfer.target, transfer.body) {
    case (.file(let path), _): path.split(separator: "/").last.map(String.init) ?? path
    case (_, .file(let path, _)): path.split(separator: "/").last.map(String.init) ?? path
    case (.fileNamedByURL, _): URL(string: transfer.url).flatMap(FileTarget.name) ?? "download"
    default: "upload"
    }
  }
}

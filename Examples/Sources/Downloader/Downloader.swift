import Errand
import ErrandTesting
import Foundation
import Synchronization

/// Downloads a file, and resumes after a lost connection or an interrupted run.
///
///     swift run Downloader             # uses a local server whose connections break
///     swift run Downloader URL FILE
///
/// Press control-C during the download and start it again. The download resumes if the server supports `Range`
/// and sends an `ETag` or `Last-Modified`.
@main struct Downloader {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.isEmpty || arguments.count == 2 else {
      print("usage: Downloader [URL FILE]")
      exit(2)
    }
    let server = arguments.isEmpty ? try BreakingServer() : nil
    let url = server?.url ?? arguments[0]
    let name = arguments.last ?? URL.temporaryDirectory.appending(path: "errand-download").path
    let file = URL(filePath: name)

    let client = Client()
    // A large file may take any time, so the request has no deadline. An attempt without data for 10 s times out.
    let request = Request.get(url).attempts(10)
    do {
      let bar = ProgressBar()
      let response = try await client.download(request, to: file, resume: true) { bar.draw($0) }
      bar.end()
      print("\(file.path): \(response.timing.attempts) attempts, \(response.timing.total)")
      if let server { print(server.account) }
    } catch let error as RequestError {
      print("\n\(error)\nRun this again to resume the download.")
      await client.shutdown()
      exit(1)
    }
    await client.shutdown()
  }
}

/// A line in the terminal. Progress arrives often, so it is redrawn only for each percent.
final class ProgressBar: Sendable {
  private let drawn = Mutex(-1)

  func draw(_ progress: TransferProgress) {
    guard let total = progress.receivedTotal, total > 0 else { return }
    let percent = Int(progress.received * 100 / total)
    let isNew = drawn.withLock { drawn in
      defer { drawn = percent }
      return drawn != percent
    }
    guard isNew else { return }
    let filled = String(repeating: "█", count: percent / 4)
    let empty = String(repeating: "░", count: 25 - percent / 4)
    write("\r\(filled)\(empty) \(percent) % of \(total >> 20) MiB, attempt \(progress.attempt) ")
  }

  func end() { write("\n") }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

/// A server with a file of 64 MiB, whose connection breaks after each 20 MiB.
struct BreakingServer {
  private static let etag = "\"v1\""
  private let server: MockServer

  var url: String { server.url("/large").absoluteString }

  init() throws {
    let data = Data(repeating: 7, count: 64 << 20)
    // The port is fixed, so that a later run resumes the download of the same URL.
    server = try MockServer(port: 8372)
    server.on("GET", "/large") { request in
      .file(data, etag: Self.etag, for: request).dripping(1 << 20, every: .milliseconds(20))
        .resetting(at: .body(20 << 20))
    }
  }

  /// A line for each request that the server received.
  var account: String {
    server.requests.map { "GET \($0.path), \($0.fields["Range"] ?? "whole file")" }.joined(separator: "\n")
  }
}

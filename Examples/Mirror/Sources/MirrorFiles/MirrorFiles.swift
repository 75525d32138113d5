import Errand
import Foundation
import Synchronization

/// Mirrors the files of a paginated API: MirrorFiles URL FOLDER. See README.md.
@main struct MirrorFiles {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let list = URL(string: arguments.first!) else {
      print("usage: MirrorFiles URL FOLDER")
      exit(2)
    }
    let folder = URL(filePath: arguments.last!)
    let client = makeClient(cache: folder.appending(path: ".pages"))
    let mirror = FolderMirror(client: client, folder: folder)
    let line = StatusLine()
    let summary = Mutex(FolderMirror.Summary())
    do {
      // Control-C and SIGTERM cancel the work, which ends every request.
      let signal = try await untilSignal {
        let result = try await mirror.run(list) { line.show($0, $1) }
        summary.withLock { $0 = result }
      }
      await client.shutdown(within: .seconds(1))
      line.end()
      guard signal == nil else {
        print("Stopped. Run this again to continue.")
        exit(130)
      }
      let result = summary.withLock { $0 }
      print(
        "\(result.pages) pages: \(result.downloaded) files downloaded, \(result.unchanged) unchanged, "
          + "\(result.removed) removed")
    } catch {
      line.end()
      print("\(error)\nRun this again to continue.")
      exit(1)
    }
  }

  static func makeClient(cache: URL) -> Client {
    var configuration = ClientConfiguration()
    // For the pages, which ask for it (`cached`). The files are in the folder itself.
    configuration.cache = DiskResponseCache(folder: cache)
    // The server says how fast it may be asked, before it refuses with 429.
    configuration.rateLimits = RateLimits(followsServer: true)
    configuration.retry.maxAttempts = 8
    return Client(configuration: configuration)
  }
}

/// A line of the terminal with the file that progressed last.
final class StatusLine: Sendable {
  private let last = Mutex(ContinuousClock.now - .seconds(1))
  private let isTerminal = isatty(STDERR_FILENO) != 0

  func show(_ name: String, _ progress: TransferProgress) {
    guard isTerminal else { return }
    // Progress arrives more often than a person reads.
    let isDue = last.withLock { last in
      guard ContinuousClock.now - last >= .milliseconds(100) else { return false }
      last = .now
      return true
    }
    guard isDue else { return }
    let part = progress.receivedTotal.map { $0 > 0 ? " \(progress.received * 100 / $0) %" : "" } ?? ""
    write("\r\u{1B}[K\(name)\(part)")
  }

  func end() { if isTerminal { write("\r\u{1B}[K") } }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

import Foundation
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct DownloadWaitingTests {
  private let target = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  @Test func `a download that was cancelled does not wait for a part, even if nobody lets go of that`()
    async throws
  {
    let (other, othersSignal) = (Download(to: target, resumes: true), StopSignal())
    try await other.waitForPart(unless: othersSignal)
    othersSignal.stop(.cancelled(.taskCancelled))
    // It says that it has let go, and has the part again: waiting for it takes no time.
    other.letGoOfPart()
    PartFiles.begin(other.partFile.path, other)
    defer { PartFiles.end(other.partFile.path, other) }
    let signal = StopSignal()
    signal.stop(.cancelled(.taskCancelled))
    let error = await #expect(throws: RequestError.self) {
      try await Download(to: target, resumes: true).waitForPart(unless: signal)
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `a download that has failed begins no transfer`() throws {
    let download = Download(to: target, resumes: true)
    download.abandon()
    #expect(throws: CancellationError.self) { try download.beginTransfer() }
  }
}

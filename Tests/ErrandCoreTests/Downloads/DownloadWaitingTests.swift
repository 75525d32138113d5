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
    #expect(PartFiles.begin(other.partFile.path, other) == nil)
    defer { PartFiles.end(other.partFile.path, other) }
    let signal = StopSignal()
    signal.stop(.cancelled(.taskCancelled))
    let error = await #expect(throws: RequestError.self) {
      try await Download(to: target, resumes: true).waitForPart(unless: signal)
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `a download waits for one that has its response and is not in its place yet`() async throws {
    let (other, othersSignal) = (Download(to: target, resumes: true), StopSignal())
    try await other.waitForPart(unless: othersSignal)
    // From here on the part is its own, opened or not.
    #expect(PartFiles.writer(of: other.path) === other)
    try othersSignal.finish()
    let next = Download(to: target, resumes: true)
    async let waits: Void = next.waitForPart(unless: StopSignal())
    for _ in 0..<100 { await Task.yield() }
    other.letGoOfPart()
    try await waits
    #expect(PartFiles.writer(of: next.path) === next)
    next.letGoOfPart()
    #expect(PartFiles.writer(of: next.path) == nil)
  }

  @Test func `a download that has failed begins no transfer`() throws {
    let download = Download(to: target, resumes: true)
    download.abandon()
    #expect(throws: CancellationError.self) { try download.beginTransfer() }
  }
}

import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite(.timeLimit(.minutes(1))) struct DownloadWaitingTests {
  private let folder = TemporaryFolder(isOnDisk: true)
  private var target: URL { folder.file("target") }

  @Test func `a cancelled download does not wait for a partial file, even if that is never released`()
    async throws
  {
    let (other, othersSignal) = (Download(to: target, resumes: true), CancellationToken())
    try await other.waitForPart(unless: othersSignal)
    othersSignal.cancel(.cancelled(.taskCancelled))
    // `other` releases the partial file and takes it again, so the wait for its release is very short.
    other.letGoOfPart()
    #expect(PartFiles.begin(other.partFile.path, other) == nil)
    defer { PartFiles.end(other.partFile.path, other) }
    let cancellation = CancellationToken()
    cancellation.cancel(.cancelled(.taskCancelled))
    let error = await #expect(throws: RequestError.self) {
      try await Download(to: target, resumes: true).waitForPart(unless: cancellation)
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `a download waits for another that has its response but not yet its place`() async throws {
    let (other, othersSignal) = (Download(to: target, resumes: true), CancellationToken())
    try await other.waitForPart(unless: othersSignal)
    // From here on `other` owns the partial file, opened or not.
    #expect(PartFiles.writer(of: other.path) === other)
    try othersSignal.finish()
    let next = Download(to: target, resumes: true)
    async let waits: Void = next.waitForPart(unless: CancellationToken())
    for _ in 0..<100 { await Task.yield() }
    other.letGoOfPart()
    try await waits
    #expect(PartFiles.writer(of: next.path) === next)
    next.letGoOfPart()
    #expect(PartFiles.writer(of: next.path) == nil)
  }

  @Test func `an abandoned download begins no transfer`() throws {
    let download = Download(to: target, resumes: true)
    download.abandon()
    #expect(throws: CancellationError.self) { try download.beginTransfer() }
  }
}

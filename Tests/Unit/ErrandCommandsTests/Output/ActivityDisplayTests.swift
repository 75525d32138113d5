import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite struct ActivityDisplayTests {
  private static let wipe = "\r\u{1B}[K"

  /// A display that draws into a file.
  private struct Drawn {
    let clock = VirtualClock()
    let display: ActivityDisplay
    private let folder: TemporaryFolder
    private let file: FileHandle

    init(redraws: Bool) throws {
      folder = try TemporaryFolder()
      try folder.write("", to: "drawn")
      file = try FileHandle(forWritingTo: folder.file("drawn"))
      display = ActivityDisplay(
        "Loading", OutputDescriptor(file.fileDescriptor), redraws: redraws, clock: clock)
    }

    var text: String { (try? String(contentsOf: folder.file("drawn"), encoding: .utf8)) ?? "" }

    /// Waits until the display sleeps before it draws, and lets that time pass.
    func passDelay() async throws {
      try await clock.waitForSleepers()
      await clock.advance(by: .milliseconds(400))
    }
  }

  /// Starts work that ends when its gate opens, and returns when it is half done.
  private func start(
    _ display: ActivityDisplay
  ) async throws -> (work: Task<Void, any Error>, gate: StubGate) {
    let (gate, isHalfDone) = (StubGate(), StubGate())
    let work = Task {
      try await display.during { activity in
        var half = TransferProgress(attempt: 1)
        (half.received, half.receivedTotal) = (1, 2)
        let token = activity.begin()
        defer { activity.end(token) }
        activity.progress(token, half)
        isHalfDone.open()
        try await gate.pass()
      }
    }
    try await isHalfDone.pass()
    return (work, gate)
  }

  @Test func `quick work draws nothing`() async throws {
    let drawn = try Drawn(redraws: true)
    try await drawn.display.during { activity in
      let token = activity.begin()
      defer { activity.end(token) }
      await drawn.clock.advance(by: .milliseconds(399))
    }
    #expect(drawn.text == "")
  }

  @Test func `slow work draws a line that moves, stays for a minimum time, and is erased`() async throws {
    let drawn = try Drawn(redraws: true)
    let (work, gate) = try await start(drawn.display)
    try await drawn.passDelay()
    // The spinner's own sleep begins when the line is drawn.
    try await drawn.clock.waitForSleepers()
    #expect(drawn.text == "\r| Loading …   50%\u{1B}[K")
    await drawn.clock.advance(by: .milliseconds(100))
    try await drawn.clock.waitForSleepers()
    #expect(drawn.text.hasSuffix("\r/ Loading …   50%\u{1B}[K"))
    gate.open()
    try await drawn.clock.waitForSleepers(2)
    #expect(!drawn.text.contains(Self.wipe))
    await drawn.clock.advance(by: .milliseconds(400))
    try await work.value
    #expect(drawn.text.hasSuffix(Self.wipe))
  }

  @Test func `a display that is ended erases its line at once, and does not draw again`() async throws {
    let drawn = try Drawn(redraws: true)
    let (work, gate) = try await start(drawn.display)
    try await drawn.passDelay()
    try await drawn.clock.waitForSleepers()
    drawn.display.end()
    gate.open()
    try await work.value
    #expect(drawn.text == "\r| Loading …   50%\u{1B}[K" + Self.wipe)
  }

  @Test func `a failure erases the line at once`() async throws {
    let drawn = try Drawn(redraws: true)
    await #expect(throws: CancellationError.self) {
      try await drawn.display.during { activity in
        let token = activity.begin()
        defer { activity.end(token) }
        try await drawn.passDelay()
        try await drawn.clock.waitForSleepers()
        throw CancellationError()
      }
    }
    #expect(drawn.text.hasSuffix(Self.wipe))
  }

  @Test func `output that is not a terminal gets one line`() async throws {
    let drawn = try Drawn(redraws: false)
    let (work, gate) = try await start(drawn.display)
    try await drawn.passDelay()
    while drawn.text.isEmpty { await Task.yield() }
    gate.open()
    try await work.value
    #expect(drawn.text == "Loading …\n")
  }
}

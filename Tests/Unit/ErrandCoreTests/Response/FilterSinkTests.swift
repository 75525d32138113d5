import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

/// Filters between a transport and a sink.
@Suite struct FilterSinkTests {
  @Test func `bytes pass all filters, completely and in order`() async throws {
    let target = TestSink()
    let sink = FilterSink([Doubling("a"), Doubling("b")], into: target)
    for text in ["1", "2", "3"] { #expect(try sink.write(Data(text.utf8)) == .more) }
    try await sink.finish(unless: CancellationToken())
    #expect(target.text == "11112222333" + "3" + "aa" + "b")
  }

  @Test func `a full sink stops the transport, and bytes are neither lost nor reordered`() async throws {
    let target = TestSink(isFull: true)
    let sink = FilterSink([Doubling("a")], into: target)
    let drains = Locked(0)
    sink.onDrain { drains.withLock { $0 += 1 } }
    #expect(try sink.write(Data("12".utf8)) == .wait)
    #expect(target.text == "1")
    target.drain()
    #expect(target.text == "11" && drains.withLock { $0 } == 0)
    for _ in 0..<2 { target.drain() }
    #expect(target.text == "1122" && drains.withLock { $0 } == 0)
    target.drain()
    #expect(drains.withLock { $0 } == 1)
    let finishing = Task { try await sink.finish(unless: CancellationToken()) }
    while target.text != "1122a" {
      target.drain()
      await Task.yield()
    }
    target.drain()
    try await finishing.value
  }

  @Test func `a filter does not wait for a sink that drains before the write returns`() async throws {
    let target = TestSink(isFull: true)
    target.drainsAtOnce.withLock { $0 = true }
    let sink = FilterSink([Doubling("a")], into: target)
    #expect(try sink.write(Data("123".utf8)) == .more)
    #expect(target.text == "112233")
  }

  @Test func `bytes that arrive while a filter works are held until it has finished`() async throws {
    let target = TestSink()
    let gate = StubGate()
    let sink = FilterSink([Doubling("a"), Doubling("b", after: gate)], into: target)
    let drained = StubGate()
    sink.onDrain { drained.open() }
    #expect(try sink.write(Data("1".utf8)) == .wait)
    #expect(target.text.isEmpty)
    // The protocol does not allow this, but it does no harm.
    #expect(try sink.write(Data("2".utf8)) == .wait)
    gate.open()
    try await drained.pass()
    try await sink.finish(unless: CancellationToken())
    #expect(target.text == "11112222aab")
  }

  @Test func `the failure of a filter's work ends the body`() async throws {
    struct Broken: Error {}
    let sink = FilterSink([Doubling("a", after: nil) { throw Broken() }], into: TestSink())
    let drained = StubGate()
    sink.onDrain { drained.open() }
    _ = try sink.write(Data("1".utf8))
    try await drained.pass()
    #expect(throws: Broken.self) { try sink.write(Data("2".utf8)) }
    await #expect(throws: Broken.self) { try await sink.finish(unless: CancellationToken()) }
  }

  @Test func `the failure of the sink ends the body`() async throws {
    let target = TestSink()
    target.failure.withLock { $0 = FileError(.write, "/x", "is full") }
    let sink = FilterSink([Doubling("a")], into: target)
    #expect(throws: FileError.self) { try sink.write(Data("1".utf8)) }
    await #expect(throws: FileError.self) { try await sink.finish(unless: CancellationToken()) }
  }

  @Test func `the failure of a filter at the end ends the body`() async throws {
    let target = TestSink()
    let filter = try ZlibFilter()
    let sink = FilterSink([filter], into: target)
    _ = try sink.write(Gzip.compress(Data("content".utf8)).dropLast())
    let error = await #expect(throws: RequestError.self) {
      try await sink.finish(unless: CancellationToken())
    }
    #expect(error?.code == .badEncoding)
  }

  @Test func `a cancelled call does not wait for a sink that is full`() async throws {
    let target = TestSink(isFull: true)
    let sink = FilterSink([Doubling("a")], into: target)
    _ = try sink.write(Data("123".utf8))
    let cancellation = CancellationToken()
    let finishing = Task { try await sink.finish(unless: cancellation) }
    cancellation.cancel(.cancelled(.taskCancelled))
    await #expect(throws: RequestError.self) { try await finishing.value }
  }

  @Test(arguments: 0..<60) func `the body arrives completely, whenever the sinks drain`(seed: UInt64)
    async throws
  {
    var random = SeededRandom(seed: seed)
    let content = Data((0..<400).map { _ in UInt8.random(in: 0...3, using: &random) })
    let coded = try Gzip.compress(Gzip.compress(content))
    let target = TestSink(isFull: Bool.random(using: &random))
    let sink = FilterSink([try ZlibFilter(), try ZlibFilter()], into: target)
    let ready = Locked(true)
    sink.onDrain { ready.withLock { $0 = true } }
    let drainer = Task {
      while !Task.isCancelled {
        target.drain()
        await Task.yield()
      }
    }
    var rest = coded[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...30, using: &random))
      rest = rest.dropFirst(piece.count)
      ready.withLock { $0 = false }
      if try sink.write(Data(piece)) == .wait {
        while !ready.withLock({ $0 }) { await Task.yield() }
      }
    }
    try await sink.finish(unless: CancellationToken())
    drainer.cancel()
    #expect(target.data == content)
  }
}

/// A filter that doubles each byte, and adds a letter at the end.
private final class Doubling: BodyFilter {
  private struct State {
    var bytes: [UInt8] = []
    var work: (@Sendable () async throws -> Void)?
  }

  private let state: Locked<State>
  private let ending: String

  init(_ end: String, after gate: StubGate? = nil, _ work: (@Sendable () async throws -> Void)? = nil) {
    ending = end
    guard let gate else {
      state = Locked(State(work: work))
      return
    }
    state = Locked(State(work: { try await gate.pass() }))
  }

  var work: (@Sendable () async throws -> Void)? {
    guard let work = state.withLock({ $0.work }) else { return nil }
    return { [self] in
      try await work()
      state.withLock { $0.work = nil }
    }
  }

  func put(_ bytes: Data) { state.withLock { $0.bytes += bytes.flatMap { [$0, $0] } } }
  func end() throws { state.withLock { $0.bytes += Array(ending.utf8) } }

  /// The bytes one at a time.
  func take() -> Data? {
    state.withLock { state in state.bytes.isEmpty ? nil : Data([state.bytes.removeFirst()]) }
  }
}

/// A sink that can be full after each write.
private final class TestSink: BodySink {
  private let state: Locked<(data: Data, drained: (@Sendable () -> Void)?)>
  private let isFull: Bool
  let drainsAtOnce = Locked(false)
  let failure = Locked<FileError?>(nil)

  init(isFull: Bool = false) {
    self.isFull = isFull
    state = Locked((Data(), nil))
  }

  var data: Data { state.withLock { $0.data } }
  var text: String { String(decoding: data, as: UTF8.self) }

  func write(_ chunk: Data) throws -> SinkSignal {
    if let failure = failure.withLock({ $0 }) { throw failure }
    state.withLock { $0.data += chunk }
    if drainsAtOnce.withLock({ $0 }) { drain() }
    return isFull ? .wait : .more
  }

  func onDrain(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.drained = handler } }
  func drain() { state.withLock { $0.drained }?() }
}

import ErrandCore
import ErrandCurl
import ErrandURLProtocol
import Foundation
import Testing

@testable import ErrandTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session cancels its client's calls, and a client its session's tasks, over real sockets.
@Suite struct CancellationTests {
  private let fixture: SessionFixture
  private var server: MockServer { fixture.server }

  init() throws { fixture = try SessionFixture() }

  /// Sends a request, cancels its task once `phase` is reached, and checks the session's callbacks.
  private func cancel(
    _ request: URLRequest, _ session: URLSession? = nil, when phase: () async throws -> Void
  ) async throws {
    let session = session ?? fixture.session()
    let task = Task { try await session.data(for: request) }
    try await phase()
    task.cancel()
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(await fixture.isIdle())
  }

  @Test func `a task that is cancelled while its body is read sends nothing`() async throws {
    let writer = SlowWriter()
    var request = fixture.request("/", "POST")
    request.httpBodyStream = SlowStream(Data("late".utf8), writer)
    try await cancel(request) {
      for await _ in writer.reads { break }
    }
    writer.goOn()
    #expect(server.requests.isEmpty)
  }

  @Test func `a task that is cancelled while it is sending ends`() async throws {
    server.on("POST", "/", at: .head) { _ in MockResponse.stall.withoutReading() }
    var request = fixture.request("/", "POST")
    request.httpBody = Data(count: 50_000_000)
    try await cancel(request) { try await server.waitForRequests(1) }
  }

  @Test func `a task that is cancelled while it is receiving closes its connection`() async throws {
    server.on("/") { _ in .response(body: Data(count: 100_000)).stalling(at: .body(50_000)) }
    try await cancel(fixture.request()) {
      try await server.wait(for: "half the body") { $0.connections.first?.bytesSent ?? 0 > 50_000 }
    }
    try await server.waitUntilClosed(connection: 1)
  }

  @Test func `a task that is cancelled between two attempts has no second attempt`() async throws {
    server.on("/") { _ in .response(status: 503, fields: ["Retry-After": "50"]) }
    try await cancel(fixture.request()) {
      try await server.wait(for: "the refusal") { $0.connections.first?.bytesSent ?? 0 > 0 }
    }
    #expect(server.count("/") == 1)
  }

  @Test func `a task that is cancelled while it waits for a slot is never sent`() async throws {
    server.on("/first") { _ in .stall }
    fixture.client.limits = ConcurrencyLimits(total: 1)
    let session = fixture.session()
    let first = Task { try await session.data(for: fixture.request("/first")) }
    try await server.waitForRequests(1)
    let second = Task { try await session.data(for: fixture.request("/second")) }
    while fixture.client.slotRows.waiting.values.reduce(0, +) == 0 { await Task.yield() }
    second.cancel()
    let error = await #expect(throws: URLError.self) { try await second.value }
    #expect(error?.code == .cancelled)
    first.cancel()
    _ = await first.result
    #expect(server.count("/second") == 0)
  }

  @Test func `a client that is shut down cancels the session's tasks`() async throws {
    server.on("/") { _ in .stall }
    let session = fixture.session()
    let task = Task { try await session.data(for: fixture.request()) }
    try await server.waitForRequests(1)
    await fixture.client.shutdown(within: .zero)
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? RequestError)?.isCancellation == true)
    let later = await #expect(throws: URLError.self) { try await session.data(for: fixture.request()) }
    #expect(later?.code == .cancelled)
  }

  @Test func `a task that a newer one supersedes is cancelled`() async throws {
    server.script("/", [.stall, .response(body: "newest")])
    let session = fixture.session()
    let request = fixture.request().errand { $0.latest("search") }
    let first = Task { try await session.text(request) }
    try await server.waitForRequests(1)
    #expect(try await session.text(request).0 == "newest")
    let error = await #expect(throws: URLError.self) { try await first.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `a task that is resumed while it runs is sent once`() async throws {
    server.otherwise { _ in .response(body: "one") }
    let (ended, end) = AsyncStream<String?>.makeStream()
    let task = fixture.session().dataTask(with: fixture.request()) { data, _, _ in
      end.yield(data.map { String(decoding: $0, as: UTF8.self) })
      end.finish()
    }
    for _ in 0..<3 { task.resume() }
    #expect(await ended.reduce(into: []) { $0.append($1) } == ["one"])
    #expect(server.requests.count == 1)
  }

  @Test func `a session that is invalidated cancels its client's calls`() async throws {
    server.on("/") { _ in .stall }
    let session = fixture.session()
    let task = Task { try await session.data(for: fixture.request()) }
    try await server.waitForRequests(1)
    session.invalidateAndCancel()
    let error = await #expect(throws: URLError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    try await server.waitUntilClosed(connection: 1)
  }

  /// Each task has one outcome, whenever it is cancelled, and the client is left without calls.
  @Test func `tasks that are cancelled at any moment end once each`() async throws {
    server.otherwise { _ in .response(body: Data(count: 5000)) }
    let session = fixture.session()
    var random = SeededRandom(seed: 7)
    await withTaskGroup { group in
      for number in 0..<400 {
        let turns = Int.random(in: 0..<60, using: &random)
        let (done, ended) = AsyncStream<(any Error)?>.makeStream()
        let task = session.dataTask(with: fixture.request("/\(number)")) { data, _, error in
          #expect((data?.count == 5000) != (error != nil))
          #expect(error == nil || (error as? URLError)?.code == .cancelled)
          ended.yield(error)
          ended.finish()
        }
        group.addTask {
          task.resume()
          for _ in 0..<turns { await Task.yield() }
          task.cancel()
          var count = 0
          for await _ in done { count += 1 }
          #expect(count == 1)
        }
        if number % 20 == 0 { await group.next() }
      }
    }
    #expect(await fixture.isIdle())
  }

  @Test func `a delegate may cancel the task in each of its callbacks`() async throws {
    server.otherwise { _ in .response(body: Data(count: 5000)) }
    for moment in [CancellingDelegate.Moment.response, .data, .disposition] {
      let delegate = CancellingDelegate(at: moment)
      let session = fixture.session(delegate: delegate)
      session.dataTask(with: fixture.request()).resume()
      var ends: [URLError.Code?] = []
      for await end in delegate.ends { ends.append(end) }
      #if canImport(FoundationNetworking)
        // Foundation on Linux ignores the disposition, and delivers everything at once.
        #expect(ends == [.cancelled] || ends == [nil], "\(moment)")
      #else
        // After the body has arrived, its task may have ended.
        #expect(ends == [.cancelled] || moment == .data && ends == [nil], "\(moment)")
      #endif
      session.finishTasksAndInvalidate()
    }
    #expect(await fixture.isIdle())
  }
}

/// Cancels its task in a callback.
private final class CancellingDelegate: NSObject, URLSessionDataDelegate, Sendable {
  enum Moment { case response, data, disposition }

  let ends: AsyncStream<URLError.Code?>
  private let ended: AsyncStream<URLError.Code?>.Continuation
  private let moment: Moment

  init(at moment: Moment) {
    self.moment = moment
    (ends, ended) = AsyncStream.makeStream()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if moment == .response { dataTask.cancel() }
    completionHandler(moment == .disposition ? .cancel : .allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if moment == .data { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    ended.yield((error as? URLError)?.code)
    ended.finish()
  }
}

import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct ScopeNameTests {
  @Test func `an event names the scopes of its call, outermost first`() async throws {
    let recorder = EventRecorder()
    let stage = Stage.configured { $0.listeners = [recorder] }.responding { _ in .response() }
    let app = RequestScope("app")
    let page = RequestScope("page", in: app)
    try await stage.client.send(.get("http://a.test/"), in: page)
    try await stage.client.send(.get("http://a.test/"))
    #expect(recorder.records.first?.event.scopes == ["app", "page"])
    #expect(recorder.records.first?.event.scope == "page")
    #expect(recorder.records.last?.event.scopes == [])
  }

  @Test func `scopes may be nested to any depth`() {
    var scopes = [RequestScope("0")]
    for number in 1..<20_000 { scopes.append(RequestScope("\(number)", in: scopes[number - 1])) }
    #expect(scopes[40].path.path == (0...40).map { "\($0)" })
    #expect((scopes.last?.path.path.count ?? 0) <= 65)
  }
}

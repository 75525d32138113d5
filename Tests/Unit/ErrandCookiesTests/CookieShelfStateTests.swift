import Foundation
import Testing

@testable import ErrandCookies
@testable import ErrandCore

/// A state by reference, because an expectation cannot contain a mutating call.
private final class Shelf {
  private var state: CookieShelfState

  init(_ state: CookieShelfState) { self.state = state }

  var jar: CookieList { state.jar }
  var generation: Int { state.generation }
  var isClosed: Bool { state.isClosed }
  func use(for url: CookieURL, at now: Date) -> [CookieList.Entry] { state.use(for: url, at: now) }
  func apply(_ change: CookieChange) { state.apply(change) }
  func schedule() -> Bool { state.schedule() }
  func beginWrite() -> Bool { state.beginWrite() }
  func fail(_ stamp: CookieShelfState.Stamp?) -> Bool { state.fail(stamp) }
  func draft(at now: Date) -> CookieShelfState.Draft { state.draft(at: now) }
  func commit(_ draft: CookieShelfState.Draft) { state.commit(draft, stamp: .missing) }
  func commitUnwritten(at now: Date) -> Bool { state.commitUnwritten(at: now) }
  func awaitLock() -> Duration { state.awaitLock(.seconds(5)) }
  func hasLock() { state.hasLock() }
  func closeIfIdle(at now: Date) -> Bool { state.closeIfIdle(at: now) }

  func adopt(_ entries: [CookieList.Entry], generation: Int? = nil, at now: Date) -> Bool {
    state.adopt(entries, stamp: .missing, generation: generation ?? state.generation, at: now)
  }
}

@Suite struct CookieShelfStateTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)
  private let url: CookieURL

  init() throws {
    let text = try #require(URL(string: "https://example.com/"))
    url = try #require(CookieURL(text))
  }

  private func shelf(hasFile: Bool = true, keepsSessionCookies: Bool = false, total: Int = 3000)
    -> Shelf
  {
    Shelf(
      CookieShelfState(
        CookieList(CookieLimits(total: total), .sample), hasFile: hasFile,
        keepsSessionCookies: keepsSessionCookies))
  }

  private func change(_ lines: String..., after seconds: TimeInterval = 0) -> CookieChange {
    CookieChange(kind: .receive(lines.compactMap { SetCookie($0) }, from: url), date: now + seconds)
  }

  private func entry(_ name: String, _ value: String, received: TimeInterval = 0) -> CookieList.Entry {
    let date = now + received
    let cookie = Cookie(name, value, domain: "example.com", expires: now + 1000, isSecure: false)
    return CookieList.Entry(cookie, created: date, received: date, used: date)
  }

  private func pairs(_ entries: [CookieList.Entry]) -> [String] {
    entries.map { "\($0.cookie.name)=\($0.cookie.value)" }.sorted()
  }

  @Test func `a change takes effect at once, and is written once`() {
    let shelf = self.shelf()
    shelf.apply(change("a=1; Max-Age=100", "s=2"))
    #expect(pairs(shelf.jar.entries) == ["a=1", "s=2"])
    #expect(shelf.beginWrite())
    let draft = shelf.draft(at: now)
    #expect(draft.entries.map(pairs) == ["a=1"])
    shelf.commit(draft)
    #expect(pairs(shelf.jar.entries) == ["a=1", "s=2"])
    #expect(!shelf.beginWrite())
    #expect(shelf.draft(at: now).entries == nil)
  }

  @Test func `a session cookie alone is not written, unless session cookies are kept`() {
    let shelf = self.shelf()
    shelf.apply(change("s=1"))
    #expect(shelf.draft(at: now).entries == nil)
    let keeping = self.shelf(keepsSessionCookies: true)
    keeping.apply(change("s=1"))
    #expect(keeping.draft(at: now).entries.map(pairs) == ["s=1"])
  }

  @Test func `a change that does not affect the file is not written`() {
    let shelf = self.shelf()
    shelf.apply(change("s=1"))
    // The file may have a cookie that it replaces.
    #expect(!shelf.commitUnwritten(at: now))
    #expect(shelf.adopt([entry("a", "0", received: -1)], at: now))
    #expect(shelf.commitUnwritten(at: now))
    #expect(!shelf.beginWrite())
    #expect(pairs(shelf.jar.entries) == ["a=0", "s=1"])
    shelf.apply(change("a=1"))
    #expect(!shelf.commitUnwritten(at: now))
    shelf.apply(change("s=2"))
    #expect(shelf.fail(nil))
    #expect(!shelf.commitUnwritten(at: now))
  }

  @Test func `another process's changes are kept, and the own changes are applied again`() {
    let shelf = self.shelf()
    shelf.apply(change("a=1; Max-Age=100", "gone=; Max-Age=0"))
    let isTaken = shelf.adopt(
      [entry("b", "2"), entry("a", "0"), entry("gone", "x")], at: now)
    #expect(isTaken)
    #expect(pairs(shelf.jar.entries) == ["a=1", "b=2"])
    #expect(shelf.draft(at: now).entries.map(pairs) == ["a=1", "b=2"])
  }

  @Test func `contents that were read before another read or write are ignored`() {
    let shelf = self.shelf()
    let generation = shelf.generation
    shelf.apply(change("a=1; Max-Age=100"))
    shelf.commit(shelf.draft(at: now))
    #expect(!shelf.adopt([], generation: generation, at: now))
    #expect(pairs(shelf.jar.entries) == ["a=1"])
    #expect(shelf.adopt([], at: now))
    #expect(shelf.jar.count == 0)
  }

  @Test func `a session cookie survives a read, unless a newer cookie replaces it`() {
    let shelf = self.shelf()
    shelf.apply(change("s=1", "t=1"))
    shelf.commit(shelf.draft(at: now))
    let entries = [entry("s", "older", received: -1), entry("t", "newer", received: 1)]
    #expect(shelf.adopt(entries, at: now))
    #expect(pairs(shelf.jar.entries) == ["s=1", "t=newer"])
  }

  @Test func `a session cookie replaces one in the file`() {
    let shelf = self.shelf()
    #expect(shelf.adopt([entry("s", "0", received: -1)], at: now))
    shelf.apply(change("s=1"))
    let draft = shelf.draft(at: now)
    #expect(draft.entries?.isEmpty == true)
    shelf.commit(draft)
    #expect(pairs(shelf.jar.entries) == ["s=1"])
  }

  @Test func `a session cookie in the file is ignored, unless session cookies are kept`() {
    let cookie = Cookie("s", "1", domain: "example.com")
    let entry = CookieList.Entry(cookie, created: now, received: now, used: now)
    for keeps in [false, true] {
      let shelf = self.shelf(keepsSessionCookies: keeps)
      #expect(shelf.adopt([entry], at: now))
      #expect(shelf.jar.count == (keeps ? 1 : 0))
      #expect(shelf.adopt([], at: now))
      #expect(shelf.jar.count == 0)
    }
  }

  @Test func `a cookie that expires before it is written is not written`() {
    let shelf = self.shelf()
    shelf.apply(change("a=1; Max-Age=10", "b=1; Max-Age=20"))
    #expect(shelf.draft(at: now + 10).entries.map(pairs) == ["b=1"])
  }

  @Test func `a change during a write is written by the next write`() {
    let shelf = self.shelf()
    shelf.apply(change("a=1; Max-Age=100"))
    let draft = shelf.draft(at: now)
    shelf.apply(change("b=2; Max-Age=100"))
    shelf.commit(draft)
    #expect(pairs(shelf.jar.entries) == ["a=1", "b=2"])
    #expect(shelf.beginWrite())
    #expect(shelf.draft(at: now).entries.map(pairs) == ["a=1", "b=2"])
  }

  @Test func `cookies that were cleared during a write stay cleared`() {
    let shelf = self.shelf()
    shelf.apply(change("a=1; Max-Age=100"))
    let draft = shelf.draft(at: now)
    shelf.apply(CookieChange(kind: .clear, date: now))
    shelf.commit(draft)
    #expect(shelf.jar.count == 0)
    #expect(shelf.draft(at: now).entries?.isEmpty == true)
  }

  @Test func `a removed cookie is kept if it was received again meanwhile`() {
    let shelf = self.shelf()
    #expect(shelf.adopt([entry("a", "1"), entry("b", "1")], at: now))
    shelf.apply(CookieChange(kind: .remove(shelf.jar.entries), date: now))
    #expect(shelf.jar.count == 0)
    let newer = [entry("a", "1"), entry("b", "2", received: 1)]
    #expect(shelf.adopt(newer, at: now))
    #expect(pairs(shelf.jar.entries) == ["b=2"])
  }

  @Test func `a cookie whose domain has become a public suffix is ignored`() {
    let suffix = Cookie("a", "1", domain: "co.uk", isHostOnly: false, expires: now + 10)
    let own = Cookie("b", "2", domain: "co.uk", expires: now + 10)
    let entries = [suffix, own].map { CookieList.Entry($0, created: now, received: now, used: now) }
    let shelf = self.shelf()
    #expect(shelf.adopt(entries, at: now))
    #expect(pairs(shelf.jar.entries) == ["b=2"])
  }

  @Test func `use times survive a read and a write`() throws {
    let shelf = self.shelf()
    #expect(shelf.adopt([entry("a", "1"), entry("b", "1")], at: now))
    #expect(shelf.use(for: url, at: now + 7).count == 2)
    #expect(shelf.adopt([entry("a", "1")], at: now))
    #expect(shelf.jar.entries.map(\.used) == [now + 7])
    shelf.apply(change("c=1; Max-Age=100"))
    #expect(shelf.draft(at: now).entries?.first?.used == now + 7)
    // A use alone does not cause a write.
    shelf.commit(shelf.draft(at: now))
    _ = shelf.use(for: url, at: now + 9)
    #expect(shelf.draft(at: now).entries == nil)
  }

  @Test func `while the file cannot be written, the oldest changes are dropped`() {
    let shelf = self.shelf(total: 10)
    shelf.apply(change("x=; Max-Age=0"))
    for number in 0..<9 { shelf.apply(change("c=\(number); Max-Age=100", after: Double(number) / 100)) }
    #expect(shelf.adopt([entry("x", "1", received: -1)], at: now))
    #expect(pairs(shelf.jar.entries) == ["c=8"])
    shelf.apply(change("c=9; Max-Age=100", after: 1))
    #expect(shelf.adopt([entry("x", "1", received: -1)], at: now))
    #expect(pairs(shelf.jar.entries) == ["c=9", "x=1"])
  }

  @Test func `a write is scheduled once, until it begins`() {
    let shelf = self.shelf()
    #expect(shelf.schedule())
    #expect(!shelf.schedule())
    #expect(!shelf.beginWrite())
    #expect(shelf.schedule())
    let memory = self.shelf(hasFile: false)
    #expect(!memory.schedule())
  }

  @Test func `a failure is reported once, until the file is read`() {
    let shelf = self.shelf()
    #expect(shelf.fail(nil))
    #expect(!shelf.fail(.missing))
    #expect(shelf.beginWrite())
    #expect(shelf.adopt([], at: now))
    #expect(!shelf.beginWrite())
    #expect(shelf.fail(nil))
  }

  @Test func `a state with nothing to lose is closed`() {
    let memory = self.shelf(hasFile: false)
    memory.apply(change("s=1; Max-Age=10"))
    #expect(!memory.closeIfIdle(at: now))
    #expect(memory.closeIfIdle(at: now + 10))
    #expect(memory.isClosed)
    let file = self.shelf()
    file.apply(change("a=1; Max-Age=100"))
    #expect(!file.closeIfIdle(at: now))
    file.commit(file.draft(at: now))
    #expect(file.schedule())
    #expect(!file.closeIfIdle(at: now))
    #expect(!file.beginWrite())
    #expect(file.closeIfIdle(at: now))
    let session = self.shelf()
    session.apply(change("s=1"))
    session.commit(session.draft(at: now))
    #expect(!session.closeIfIdle(at: now))
  }

  @Test func `after a lock was unavailable, the state does not wait for it again until it is free`() {
    let shelf = shelf()
    #expect(shelf.awaitLock() == .seconds(5))
    shelf.hasLock()
    #expect(shelf.awaitLock() == .seconds(5))
    #expect(shelf.awaitLock() == .zero)
    #expect(shelf.awaitLock() == .zero)
    shelf.hasLock()
    #expect(shelf.awaitLock() == .seconds(5))
  }
}

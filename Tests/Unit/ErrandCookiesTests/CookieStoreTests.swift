import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieStoreTests {
  private let store = CookieStore()
  private let now = Date()

  private func url(_ text: String = "https://example.com/") throws -> URL { try #require(URL(string: text)) }

  private func fields(_ lines: String...) -> HTTPFields {
    var fields = HTTPFields()
    for (index, line) in lines.enumerated() {
      fields.append(index.isMultiple(of: 2) ? "Set-Cookie" : "set-cookie", line)
    }
    return fields
  }

  @Test func `the cookies that a response sets are sent with the next request`() throws {
    store.take(fields("a=1; Path=/", "b=2"), from: try url("https://example.com/x/y"), at: now)
    #expect(store.field(for: try url("https://example.com/x/z"), at: now) == "b=2; a=1")
    #expect(store.field(for: try url(), at: now) == "a=1")
    #expect(store.field(for: try url("https://example.org/"), at: now) == nil)
    #expect(store.field(for: try url("file:///x"), at: now) == nil)
  }

  @Test func `a response without cookies, or with refused ones, changes nothing`() throws {
    store.take([:], from: try url(), at: now)
    store.take(["Cookie": "a=1", "Set-Cookie2": "a=1"], from: try url(), at: now)
    store.take(fields("", "a\0=1", "a=1; Domain=com"), from: try url(), at: now)
    store.take(fields("a=1"), from: try url("file:///x"), at: now)
    #expect(store.cookies.isEmpty)
  }

  @Test func `all cookies, or those for one URL, can be inspected`() async throws {
    store.take(
      fields("a=1; Path=/x; HttpOnly; SameSite=Lax; Max-Age=60", "b=2; Secure; Domain=example.com"),
      from: try url(), at: now)
    let cookies = store.cookies
    #expect(cookies.map(\.name) == ["a", "b"])
    #expect(cookies.map(\.value) == ["1", "2"])
    #expect(cookies.map(\.path) == ["/x", "/"])
    #expect(cookies.map(\.isHostOnly) == [true, false])
    #expect(cookies.map(\.isSecure) == [false, true])
    #expect(cookies.map(\.isHTTPOnly) == [true, false])
    #expect(cookies.map(\.sameSite) == [.lax, nil])
    let left = try #require(cookies[0].expires).timeIntervalSince(now)
    #expect(abs(left - 60) < 0.001)
    #expect(cookies[1].expires == nil)
    #expect(store.cookies(for: try url("https://example.com/x")).map(\.name) == ["a", "b"])
    #expect(store.cookies(for: try url("http://www.example.com/x")).isEmpty)
    #expect(store.cookies(for: try url("file:///x")).isEmpty)
  }

  @Test func `an expired cookie is not shown`() throws {
    store.take(fields("a=1; Max-Age=60"), from: try url(), at: now - 120)
    #expect(store.cookies.isEmpty)
    #expect(store.cookies(for: try url()).isEmpty)
  }

  @Test func `a program can set cookies`() async throws {
    try await store.set(Cookie("a", "1", domain: "example.com"))
    try await store.set(Cookie("b", "2", domain: "example.com", isHostOnly: false, isSecure: false))
    #expect(store.field(for: try url(), at: now) == "a=1; b=2")
    #expect(store.field(for: try url("http://www.example.com/"), at: now) == "b=2")
    try await store.set(Cookie("a", "3", domain: "example.com"))
    #expect(store.field(for: try url(), at: now) == "a=3; b=2")
    try await store.set(Cookie("a", "", domain: "example.com", expires: .distantPast))
    #expect(store.field(for: try url(), at: now) == "b=2")
    try await store.set(Cookie("c", "4", domain: "::1"))
    #expect(store.field(for: try url("http://[::1]/"), at: now) == "c=4")
  }

  @Test func `a cookie that a program sets expires in 400 days at the latest`() async throws {
    try await store.set(Cookie("a", "1", domain: "example.com", expires: .distantFuture))
    let expires = try #require(store.cookies.first?.expires)
    #expect(abs(expires.timeIntervalSince(now) - 400 * 86_400) < 60)
  }

  @Test func `a cookie that no server could set is refused with an explanation`() async throws {
    let error = await #expect(throws: CookieError.self) {
      try await store.set(Cookie("a", "s3cr3t; b=2", domain: "example.com"))
    }
    #expect(error?.description == "the cookie a cannot be set: its value has a ';'; encode it")
    for domain in ["com", "localhost", "1.2.3.4", "::1", "a..com"] {
      await #expect(throws: CookieError.self) {
        try await store.set(Cookie("a", "1", domain: domain, isHostOnly: false))
      }
      try await store.set(Cookie("a", "1", domain: domain))
    }
    let long = String(repeating: "n", count: 5000)
    let other = await #expect(throws: CookieError.self) {
      try await store.set(Cookie(long, "", domain: "a.com"))
    }
    #expect((other?.description.utf8.count ?? 0) < 300)
  }

  @Test func `cookies are removed by their name, domain and path`() async throws {
    store.take(fields("a=1", "b=2", "a=3; Path=/x"), from: try url(), at: now)
    try await store.remove { $0.name == "a" && $0.path == "/" }
    #expect(store.cookies.map(\.value) == ["2", "3"])
    try await store.remove { _ in false }
    struct Stop: Error {}
    await #expect(throws: Stop.self) { try await store.remove { _ in throw Stop() } }
    #expect(store.cookies.count == 2)
    try await store.clear()
    #expect(store.cookies.isEmpty)
    #expect(store.field(for: try url(), at: now) == nil)
  }

  @Test func `stores in memory are independent`() throws {
    store.take(fields("a=1"), from: try url(), at: now)
    #expect(CookieStore().cookies.isEmpty)
  }

  @Test func `the limits can be set`() throws {
    let store = CookieStore(limits: CookieLimits(perDomain: 2, total: 3))
    store.take(fields("a=1", "b=2", "c=3"), from: try url(), at: now)
    #expect(store.field(for: try url(), at: now) == "b=2; c=3")
    store.take(fields("d=4", "e=5"), from: try url("https://example.org/"), at: now + 1)
    #expect(store.cookies.map(\.name) == ["c", "d", "e"])
  }

  @Test func `a description shows names, and no values`() throws {
    #expect("\(store)" == "CookieStore(0 cookies)")
    store.take(fields("sid=s3cr3t", "s3cr3t"), from: try url(), at: now)
    #expect("\(store)" == "CookieStore(2 cookies: sid, (no name))")
    for number in 0..<30 { store.take(fields("c\(number)=s3cr3t"), from: try url(), at: now) }
    var dumped = ""
    dump(store, to: &dumped)
    for text in ["\(store)", String(reflecting: store), dumped] {
      #expect(!text.contains("s3cr3t"))
      #expect(text.utf8.count < 300)
    }
  }

  @Test(.computesLong) func `many threads can use one store`() async throws {
    let (url, now) = (try url(), now)
    let store = CookieStore(limits: CookieLimits(perDomain: 1000))
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<50 {
            store.take(["Set-Cookie": "c\(task)x\(number)=1"], from: url, at: now)
            _ = store.field(for: url, at: now)
            _ = store.partition(for: "\(number)").field(for: url, at: now)
          }
        }
      }
    }
    #expect(store.cookies.count == 400)
  }
}

@Suite struct CookiePartitionTests {
  private let now = Date()
  private let fields: HTTPFields = ["Set-Cookie": "a=1; Max-Age=1000"]

  private func url() throws -> URL { try #require(URL(string: "https://example.com/")) }

  private func set(_ value: String, in store: CookieStore) throws {
    store.take(["Set-Cookie": "a=\(value); Max-Age=1000"], from: try url(), at: now)
  }

  @Test func `identities share no cookies`() async throws {
    let store = CookieStore()
    try set("nobody", in: store)
    try set("ann", in: store.partition(for: "ann"))
    try set("bob", in: store.partition(for: "bob"))
    try set("empty", in: store.partition(for: ""))
    #expect(store.field(for: try url(), at: now) == "a=nobody")
    #expect(store.partition(for: nil).field(for: try url(), at: now) == "a=nobody")
    #expect(store.partition(for: "ann").field(for: try url(), at: now) == "a=ann")
    #expect(store.partition(for: "").field(for: try url(), at: now) == "a=empty")
    #expect(store.partition(for: "bob").partition(for: "ann").cookies.map(\.value) == ["ann"])
    #expect(store.partition(for: "eve").cookies.isEmpty)
    try await store.partition(for: "ann").clear()
    #expect(store.partition(for: "ann").cookies.isEmpty)
    #expect(store.partition(for: "bob").cookies.map(\.value) == ["bob"])
    try await store.clear()
    #expect(store.cookies.isEmpty)
    #expect(store.partition(for: "bob").cookies.map(\.value) == ["bob"])
    try await store.partition(for: "bob").clearPartitions()
    #expect(store.partition(for: "bob").cookies.isEmpty)
    #expect(store.partition(for: "").cookies.isEmpty)
  }

  @Test func `each identity has separate limits`() throws {
    let store = CookieStore(limits: CookieLimits(total: 1))
    try set("ann", in: store.partition(for: "ann"))
    try set("bob", in: store.partition(for: "bob"))
    #expect(store.partition(for: "ann").cookies.count == 1)
  }

  @Test func `identities without cookies leave nothing in memory`() throws {
    let partitions = CookiePartitions(path: nil, settings())
    let target = try url()
    let url = try #require(CookieURL(target))
    let line = try #require(SetCookie("a=1"))
    for number in 0..<50 {
      partitions.change(CookiePartition(of: "kept \(number)"), .receive([line], from: url), at: now)
    }
    for number in 0..<5000 {
      let partition = CookiePartition(of: "\(number)")
      #expect(partitions.use(partition) { $0.jar.count } == 0)
    }
    #expect(partitions.count <= 128)
    for number in 0..<50 {
      #expect(partitions.use(CookiePartition(of: "kept \(number)")) { $0.jar.count } == 1)
    }
  }

  @Test func `a shelf that was closed accepts no more cookies`() throws {
    let shelf = CookieShelf(nil, settings())
    #expect(shelf.use { $0.jar.count } == 0)
    #expect(shelf.closeIfIdle(at: now))
    #expect(shelf.use { $0.jar.count } == nil)
    let change = CookieChange(kind: .set(Cookie("a", "1", domain: "example.com")), date: now)
    #expect(shelf.change(change, schedules: true) == nil)
    #expect(shelf.names.isEmpty)
  }

  @Test func `identities whose cookies are in files leave nothing in memory`() async throws {
    let folder = TemporaryFolder(isOnDisk: false)
    try folder.make()
    let partitions = CookiePartitions(path: folder.path("c.jsonl"), settings())
    let target = try url()
    let url = try #require(CookieURL(target))
    let stored = try #require(SetCookie("a=1; Max-Age=1000"))
    let session = try #require(SetCookie("s=1"))
    for number in 0..<150 {
      let partition = CookiePartition(of: "\(number)")
      partitions.change(partition, .receive(number < 10 ? [stored, session] : [stored], from: url), at: now)
      try await partitions.flush(partition)
    }
    #expect(partitions.count <= 128)
    for number in 0..<150 {
      let count = partitions.use(CookiePartition(of: "\(number)")) { $0.jar.count }
      #expect(count == (number < 10 ? 2 : 1))
    }
  }

  @Test func `the files of identities are in a folder that only this user can read, and show no identity`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = CookieStore(file: folder.file("c.jsonl"))
    let ann = store.partition(for: "ann@example.com")
    try set("1", in: ann)
    try await ann.flush()
    #expect(try folder.names == ["c.jsonl.partitions"])
    let place = folder.path("c.jsonl.partitions")
    #expect(FileDescriptor.permissions(of: place) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted()
    #expect(names.count == 2)
    for name in names {
      #expect(FileDescriptor.permissions(of: "\(place)/\(name)") == 0o600)
      let data = try Data(contentsOf: URL(filePath: "\(place)/\(name)"))
      #expect(!name.contains("ann") && data.firstRange(of: Data("ann".utf8)) == nil)
    }
    #expect(CookieStore(file: folder.file("c.jsonl")).partition(for: "ann@example.com").cookies.count == 1)
  }

  @Test func `clearing all identities finds the files of other processes`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("c.jsonl")
    for identity in ["ann", "bob", nil] {
      let store = CookieStore(file: file).partition(for: identity)
      try set("1", in: store)
      try await store.flush()
    }
    let place = folder.file("c.jsonl.partitions")
    try Data("other".utf8).write(to: place.appending(path: "notes.txt"))
    try await CookieStore(file: file).clearPartitions()
    for identity in ["ann", "bob", nil] {
      #expect(CookieStore(file: file).partition(for: identity).cookies.isEmpty)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(names.filter { !$0.hasSuffix(".lock") } == ["notes.txt"])
  }

  private func settings() -> CookieSettings {
    CookieSettings(
      limits: CookieLimits(), suffixes: .sample, keepsSessionCookies: false, date: { [now] in now },
      report: { _ in })
  }
}

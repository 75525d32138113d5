import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieStoreFileTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let log = CookieProblemLog()
  private let url: URL
  private let now = Date()

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("cookies.jsonl")
    url = try #require(URL(string: "https://example.com/"))
  }

  private func store(keepsSessionCookies: Bool = false) -> CookieStore {
    CookieStore(file: file, keepsSessionCookies: keepsSessionCookies, onProblem: log.add)
  }

  private func take(_ line: String, in store: CookieStore, after seconds: TimeInterval = 0) async throws {
    store.take(["Set-Cookie": line], from: url, at: now + seconds)
    try await store.flush()
  }

  @Test func `cookies outlive their store`() async throws {
    try await take(
      "a=1; Max-Age=1000; Secure; HttpOnly; Path=/x; SameSite=Strict; Domain=example.com", in: store())
    let first = store().cookies
    #expect(first.count == 1)
    try await take("b=2; Max-Age=1000", in: store())
    let cookies = store().cookies
    #expect(cookies.map(\.name) == ["a", "b"])
    #expect(cookies.first == first.first)
    #expect(log.problems.isEmpty)
  }

  @Test func `neither reading nor a session cookie creates a file`() async throws {
    let store = store()
    #expect(store.cookies.isEmpty)
    #expect(store.field(for: url, at: now) == nil)
    try await store.flush()
    for line in ["a=1; Domain=com", "a=1", "b=; Max-Age=0"] { try await take(line, in: store) }
    #expect(store.cookies.count == 1)
    #expect(try folder.names.isEmpty)
  }

  @Test(arguments: [nil, "ann"])
  func `only the user can access the file and its folders`(_ identity: String?) async throws {
    let file = folder.file("new/er/cookies.jsonl")
    let store = CookieStore(file: file, onProblem: log.add).partition(for: identity)
    store.take(["Set-Cookie": "a=1; Max-Age=5"], from: url, at: now)
    try await store.flush()
    let made = try #require(FileManager.default.enumerator(atPath: folder.path("new"))).compactMap {
      $0 as? String
    }
    #expect(made.count == (identity == nil ? 3 : 4))
    #expect(FileDescriptor.permissions(of: folder.path("new")) == 0o700)
    for name in made {
      let isFile = name.hasSuffix(".lock") || name.hasSuffix(".jsonl")
      #expect(
        FileDescriptor.permissions(of: folder.path("new/\(name)")) == (isFile ? 0o600 : 0o700), "\(name)")
    }
  }

  @Test func `a file that others could read is replaced by one that they cannot read`() async throws {
    try await take("a=1; Max-Age=1000", in: store())
    chmod(file.path, 0o644)
    try await take("b=1; Max-Age=1000", in: store())
    #expect(FileDescriptor.permissions(of: file.path) == 0o600)
    #expect(store().cookies.count == 2)
  }

  @Test func `a session cookie is not written, and lasts until the store is released`() async throws {
    let first = store()
    try await take("s=s3cr3t", in: first)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try await take("a=1; Max-Age=1000", in: first)
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("s3cr3t"))
    try await take("b=1; Max-Age=1000", in: store(), after: 1)
    #expect(first.field(for: url, at: now) == "s=s3cr3t; a=1; b=1")
    #expect(store().field(for: url, at: now) == "a=1; b=1")
  }

  @Test func `a session cookie is written if session cookies are kept`() async throws {
    try await take("s=1", in: store(keepsSessionCookies: true))
    #expect(store(keepsSessionCookies: true).cookies.map(\.name) == ["s"])
    #expect(store().cookies.isEmpty)
  }

  @Test func `a session cookie that gets an expiry is written, and the reverse`()
    async throws
  {
    let store = store()
    try await take("a=1", in: store)
    try await take("a=2; Max-Age=1000", in: store)
    #expect(self.store().cookies.map(\.value) == ["2"])
    try await take("a=3", in: store)
    #expect(self.store().cookies.isEmpty)
    #expect(store.cookies.map(\.value) == ["3"])
  }

  @Test func `the order is kept, even among cookies of one response`() async throws {
    let first = store()
    var fields = HTTPFields()
    for name in ["c", "a", "b"] { fields.append("Set-Cookie", "\(name)=1; Max-Age=1000") }
    fields.append("Set-Cookie", "s=1")
    fields.append("Set-Cookie", "d=1; Max-Age=1000")
    first.take(fields, from: url, at: now)
    try await first.flush()
    #expect(store().field(for: url, at: now) == "c=1; a=1; b=1; d=1")
    try await take("e=1; Max-Age=1000", in: store(), after: 1)
    #expect(first.field(for: url, at: now) == "c=1; a=1; b=1; s=1; d=1; e=1")
  }

  @Test func `set, remove and clear have written the file when they return`() async throws {
    let store = store()
    try await store.set(Cookie("a", "1", domain: "example.com", expires: now + 1000))
    try await store.set(Cookie("b", "2", domain: "example.com", expires: now + 1000))
    #expect(self.store().cookies.count == 2)
    try await store.remove { $0.name == "a" }
    #expect(self.store().cookies.map(\.name) == ["b"])
    try await store.clear()
    #expect(self.store().cookies.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func `expired cookies are removed from the file with the next change`() async throws {
    let past = CookieStore(path: file.path, date: { [now] in now - 120 }, onProblem: log.add)
    try await take("old=s3cr3t; Max-Age=60", in: past, after: -120)
    #expect(try String(contentsOf: file, encoding: .utf8).contains("s3cr3t"))
    try await take("a=1; Max-Age=1000", in: store())
    #expect(try !String(contentsOf: file, encoding: .utf8).contains("s3cr3t"))
  }

  private static let own = "{\"errand\":\"cookies\",\"version\":1"

  @Test(arguments: ["\(own)}\n", own, "\(own),\"sha256\":\"00\"}\n{}\n", "{\"errand\":\"cookies\","])
  func `a damaged file is moved aside and reported once, and the store starts again`(_ text: String)
    async throws
  {
    try Data(text.utf8).write(to: file)
    let store = store()
    for _ in 0..<5 { #expect(store.cookies.isEmpty) }
    try await store.flush()
    let aside = file.path + ".damaged"
    #expect(log.reasons == [.damaged(setAside: aside)])
    #expect(try Data(contentsOf: URL(filePath: aside)) == Data(text.utf8))
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try await take("a=1; Max-Age=1000", in: store)
    #expect(self.store().cookies.count == 1)
    #expect(log.problems.count == 1)
  }

  @Test func `damage to a file in use costs no cookie in memory`() async throws {
    let store = store()
    try await take("a=1; Max-Age=1000", in: store)
    #expect(store.cookies.count == 1)
    var data = try Data(contentsOf: file)
    data[data.count - 5] ^= 1
    try data.write(to: file)
    // The cookies remain until the file was moved aside: then the store acts as if another process had
    // removed it.
    #expect(store.cookies.count <= 1)
    try await store.flush()
    #expect(log.reasons == [.damaged(setAside: file.path + ".damaged")])
    #expect(store.cookies.isEmpty)
  }

  @Test func `a damaged file does not replace an earlier one`() async throws {
    try folder.write("mine", to: "cookies.jsonl.damaged")
    for number in 2...4 {
      try Data("\(Self.own) \(number)".utf8).write(to: file)
      let store = store()
      #expect(store.cookies.isEmpty)
      try await store.flush()
      let aside = "\(file.path).damaged.\(number)"
      #expect(log.reasons.last == .damaged(setAside: aside))
      #expect(try String(contentsOfFile: aside, encoding: .utf8) == "\(Self.own) \(number)")
    }
    try await store().clear()
    #expect(try folder.names == ["cookies.jsonl.damaged", "cookies.jsonl.lock"])
    #expect(try String(contentsOfFile: file.path + ".damaged", encoding: .utf8) == "mine")
  }

  @Test(arguments: [
    "-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n", "x", "\0", "[]\n", "{\"errand\":\"credential\"}\n",
    "a\tb\tc\td\te\tf\tg\n", "# notes\n", "{\"errand\":\"coo",
  ])
  func `a file that Errand did not write is not changed, nor is any file beside it`(text: String) async throws
  {
    try Data(text.utf8).write(to: file)
    let store = store(keepsSessionCookies: true)
    #expect(try store.hasForeignFile)
    for _ in 0..<3 { #expect(store.cookies.isEmpty) }
    let error = await #expect(throws: FileError.self) { try await take("a=1; Max-Age=1000", in: store) }
    #expect(error?.description.contains("not written by Errand") == true)
    await #expect(throws: FileError.self) { try await store.clear() }
    #expect(try Data(contentsOf: file) == Data(text.utf8))
    #expect(try folder.names == ["cookies.jsonl"])
    guard case .unreadable? = log.reasons.first else { return #expect(log.reasons.isEmpty) }
    // As soon as it is gone, the changes are written.
    try FileManager.default.removeItem(at: file)
    try await take("b=1; Max-Age=1000", in: store)
    #expect(self.store().cookies.map(\.name) == ["b"])
  }

  @Test func `an empty file is used`() async throws {
    try Data().write(to: file)
    let store = store()
    #expect(store.cookies.isEmpty)
    try await take("a=1; Max-Age=1000", in: store)
    #expect(self.store().cookies.count == 1)
    #expect(log.problems.isEmpty)
  }

  @Test func `a change is not lost if the file is damaged`() async throws {
    try Data(Self.own.utf8).write(to: file)
    try await take("a=1; Max-Age=1000", in: store())
    #expect(store().cookies.count == 1)
    #expect(log.problems.count == 1)
  }

  @Test func `a file of another version is moved aside, and the report names the version`() async throws {
    try Data("{\"errand\":\"cookies\",\"version\":7}\n".utf8).write(to: file)
    let store = store()
    #expect(store.cookies.isEmpty)
    try await store.flush()
    #expect(log.reasons == [.otherVersion(7, setAside: file.path + ".damaged")])
    #expect(log.problems.first?.description.contains("version 7") == true)
  }

  @Test func `a huge file is moved aside without being read`() async throws {
    try Data(Self.own.utf8).write(to: file)
    truncate(file.path, 1 << 40)
    let store = store()
    #expect(store.cookies.isEmpty)
    try await store.flush()
    #expect(log.reasons == [.damaged(setAside: file.path + ".damaged")])
  }

  @Test func `anything except a regular file of this user is neither read nor replaced`() async throws {
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    let store = store()
    for _ in 0..<3 { #expect(store.cookies.isEmpty) }
    await #expect(throws: FileError.self) { try await store.flush() }
    await #expect(throws: FileError.self) {
      try await store.set(Cookie("a", "1", domain: "example.com", expires: now + 1000))
    }
    #expect(store.cookies.count == 1)
    #expect(log.problems.count == 1)
    guard case .unreadable? = log.reasons.first else { return #expect(log.reasons.isEmpty) }
    var info = stat()
    #expect(lstat(file.path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR)
    // As soon as it is gone, the pending changes are written.
    try FileManager.default.removeItem(at: file)
    try await store.flush()
    #expect(self.store().cookies.count == 1)
  }

  @Test func `a file with two hard links is not read, because others may change it through the other one`()
    async throws
  {
    try await take("a=1; Max-Age=1000", in: store())
    try FileManager.default.linkItem(atPath: file.path, toPath: folder.path("other"))
    let store = store()
    #expect(store.cookies.isEmpty)
    await #expect(throws: FileError.self) { try await store.flush() }
    guard case .unreadable? = log.reasons.first else { return #expect(log.reasons.isEmpty) }
  }

  @Test func `a folder that cannot be written to is reported, and the cookie is kept in this process`()
    async throws
  {
    let blocked = folder.file("blocked")
    try Data().write(to: blocked)
    let store = CookieStore(file: blocked.appending(path: "x/cookies.jsonl"), onProblem: log.add)
    store.take(["Set-Cookie": "a=1; Max-Age=1000"], from: url, at: now)
    #expect(store.field(for: url, at: now) == "a=1")
    await #expect(throws: FileError.self) { try await store.flush() }
    await #expect(throws: FileError.self) { try await store.set(Cookie("b", "2", domain: "example.com")) }
    #expect(store.cookies.count == 2)
    #expect(!log.problems.isEmpty)
  }

  @Test(arguments: [true, false])
  func `clear removes files that were moved aside and files that a dead process left`(_ hasCookies: Bool)
    async throws
  {
    try Data("\(Self.own) s3cr3t".utf8).write(to: file)
    let store = store()
    if hasCookies { try await take("a=s3cr3t; Max-Age=1000", in: store) }
    // Version 1 named its drafts like this.
    try Data("\(Self.own) s3cr3t".utf8).write(to: folder.file("cookies.jsonl.draft"))
    try Data("draft s3cr3t".utf8).write(to: folder.file(".cookies.jsonl.0123456789abcdef.errand-temp"))
    try await store.clear()
    #expect(try folder.names == ["cookies.jsonl.lock"])
  }

  @Test func `clear creates nothing`() async throws {
    let place = folder.file("none/cookies.jsonl")
    try await CookieStore(file: place).clearPartitions()
    #expect(try folder.names.isEmpty)
  }

  @Test func `a write that fails half-way does not change the file`() async throws {
    try await take("a=1; Max-Age=1000", in: store())
    try Data("{\"errand\":\"coo".utf8).write(to: folder.file(".cookies.jsonl.00.errand-temp"))
    try folder.write("mine", to: "cookies.jsonl.draft")
    #expect(store().cookies.count == 1)
    try await take("b=1; Max-Age=1000", in: store())
    #expect(store().cookies.count == 2)
    #expect(log.problems.isEmpty)
    #expect(try String(contentsOf: folder.file("cookies.jsonl.draft"), encoding: .utf8) == "mine")
  }

  @Test func `a change that does not affect the file's content does not write it`() async throws {
    let store = store()
    try await take("a=1; Max-Age=1000", in: store)
    let before = FileDescriptor.status(of: file.path)
    try await take("s=1", in: store)
    try await take("x=; Max-Age=0", in: store)
    _ = store.field(for: url, at: now + 5)
    try await store.flush()
    let after = try #require(FileDescriptor.status(of: file.path))
    #expect(before?.isSameFile(as: after) == true)
  }

  @Test func `a problem is described in a sentence`() {
    let error = FileError(.write, "/x", "the disk is full")
    let reasons: [CookieFileProblem.Reason] = [
      .damaged(setAside: "/x.damaged"), .otherVersion(2, setAside: "/x.damaged"), .unreadable(error),
      .unwritten(error),
    ]
    for reason in reasons {
      #expect(CookieFileProblem(path: "/x", reason: reason).description.contains("/x"))
    }
  }
}

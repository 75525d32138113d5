import FileCalls
import Foundation
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite(.enabled(if: FileCalls.isAvailable)) struct CookieFlushTests {
  private let cookie = Cookie("a", "1", domain: "example.com", expires: .distantFuture)

  @Test func `the file is flushed before it is renamed into place, and set returns afterwards`() async throws
  {
    let folder = try TemporaryFolder()
    let calls = try FileCalls(in: folder.url.path)
    let store = CookieStore(file: folder.file("c.jsonl"))
    try await store.set(cookie)
    #expect(calls.all.isDurable("c.jsonl", in: ""))
    let count = calls.all.count
    try await store.clear()
    #expect(calls.all.dropFirst(count) == [.flush("")])
  }

  @Test func `a file that cannot be flushed is not put in place, and set throws`() async throws {
    let folder = try TemporaryFolder()
    let store = CookieStore(file: folder.file("c.jsonl"))
    try await store.set(cookie)
    let calls = try FileCalls(in: folder.url.path)
    calls.failFlushes()
    await #expect(throws: FileError.self) {
      try await store.set(Cookie("b", "2", domain: "example.com", expires: .distantFuture))
    }
    #expect(CookieStore(file: folder.file("c.jsonl")).cookies.map(\.name) == ["a"])
    #expect(store.cookies.map(\.name) == ["a", "b"])
    #expect(try folder.names == ["c.jsonl", "c.jsonl.lock"])
  }
}

import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

@testable import ErrandCookies
@testable import ErrandCore

@Suite struct CookieSharingTests {
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

  private func store() -> CookieStore {
    CookieStore(file: file, limits: CookieLimits(perDomain: 500), onProblem: log.add)
  }

  @Test func `each store sees the changes of the other at its next request`() async throws {
    let (one, two) = (store(), store())
    #expect(two.field(for: url, at: now) == nil)
    for number in 0..<20 {
      one.take(["Set-Cookie": "a=\(number); Max-Age=1000"], from: url, at: now + Double(number))
      try await one.flush()
      #expect(two.field(for: url, at: now) == "a=\(number)")
      two.take(["Set-Cookie": "a=x\(number); Max-Age=1000"], from: url, at: now + Double(number) + 0.5)
      try await two.flush()
      #expect(one.field(for: url, at: now) == "a=x\(number)")
    }
    try await two.clear()
    #expect(one.field(for: url, at: now) == nil)
    one.take(["Set-Cookie": "b=1; Max-Age=1000"], from: url, at: now)
    try await one.flush()
    #expect(two.cookies.map(\.name) == ["b"])
    #expect(log.problems.isEmpty)
  }

  @Test func `an unwritten cookie of one store survives a write of another`() async throws {
    let (one, two) = (store(), store())
    for number in 0..<50 {
      one.take(["Set-Cookie": "one\(number)=1; Max-Age=1000"], from: url, at: now)
      two.take(["Set-Cookie": "two\(number)=1; Max-Age=1000"], from: url, at: now)
      #expect(one.cookies.contains { $0.name == "one\(number)" })
      #expect(two.cookies.contains { $0.name == "two\(number)" })
    }
    try await one.flush()
    try await two.flush()
    #expect(one.cookies.count == 100)
    #expect(two.cookies.count == 100)
  }

  @Test func `a removal by one store does not restore cookies that another has removed`() async throws {
    let (one, two) = (store(), store())
    for name in ["a", "b", "c"] {
      one.take(["Set-Cookie": "\(name)=1; Max-Age=1000"], from: url, at: now)
    }
    try await one.flush()
    #expect(two.cookies.count == 3)
    try await one.remove { $0.name == "a" }
    try await two.remove { $0.name == "b" }
    #expect(one.cookies.map(\.name) == ["c"])
    #expect(store().cookies.map(\.name) == ["c"])
  }

  @Test(.computesLong)
  func `threads with separate stores write one file concurrently, and no cookie is lost`()
    async throws
  {
    let (file, url, now, log) = (file, url, now, log)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let store = CookieStore(file: file, limits: CookieLimits(perDomain: 500), onProblem: log.add)
          for number in 0..<40 {
            store.take(["Set-Cookie": "w\(writer)n\(number)=1; Max-Age=1000"], from: url, at: now)
            if number.isMultiple(of: 7) { try await store.flush() }
            #expect(store.cookies.filter { $0.name.hasPrefix("w\(writer)n") }.count == number + 1)
          }
          try await store.flush()
        }
      }
      try await group.waitForAll()
    }
    #expect(store().cookies.count == 160)
    #expect(log.problems.isEmpty)
  }

  @Test func `processes write one file concurrently, and no cookie is lost`() async throws {
    let one = try startCookieWriter(file: file, host: "one.com", count: 30, folder: folder)
    let two = try startCookieWriter(file: file, host: "two.com", count: 30, folder: folder)
    let store = store()
    for number in 0..<30 {
      store.take(["Set-Cookie": "c\(number)=1; Max-Age=1000"], from: url, at: now)
      try await store.flush()
    }
    #expect(await one.end() == .exited(0))
    #expect(await two.end() == .exited(0))
    #expect(one.lines == (0..<30).map(String.init))
    #expect(two.lines == (0..<30).map(String.init))
    for store in [store, self.store()] {
      let domains = Dictionary(grouping: store.cookies, by: \.domain).mapValues(\.count)
      #expect(domains == ["example.com": 30, "one.com": 30, "two.com": 30])
    }
    #expect(log.problems.isEmpty)
  }

  @Test func `a process that is killed leaves a complete file with all reported cookies`() async throws {
    var random = SeededRandom(seed: 31)
    for round in 0..<4 {
      let writer = try startCookieWriter(
        file: file, host: "r\(round).com", count: 1_000_000, folder: folder)
      let wanted = Int.random(in: 1...30, using: &random)
      while writer.lines.count < wanted { await Task.yield() }
      await writer.kill()
      let reported = writer.lines.count
      let cookies = store().cookies.filter { $0.domain == "r\(round).com" }
      #expect(cookies.count >= min(reported, 499))
      #expect(!writer.lines.contains { $0.hasPrefix("problem") || $0.hasPrefix("error") })
    }
    let store = store()
    store.take(["Set-Cookie": "last=1; Max-Age=1000"], from: url, at: now)
    try await store.flush()
    #expect(store.cookies.contains { $0.name == "last" })
    #expect(try folder.names.filter { $0.hasPrefix("cookies") } == ["cookies.jsonl", "cookies.jsonl.lock"])
    #expect(log.problems.isEmpty)
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What one case works with.
struct AnswerStoreLab: Sendable {
  let makeStore: @Sendable (Int) throws -> any AnswerStore

  /// A store with more room than a case needs, unless it says otherwise.
  func store(limit: Int = 50_000_000) throws -> any AnswerStore { try makeStore(limit) }

  func answer(_ text: String = "", size: Int? = nil) -> KeptAnswer {
    KeptAnswer(
      status: 200, fields: ["Content-Type": "text/plain"],
      data: size.map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0) } ?? Data(text.utf8),
      url: url("https://example.com/"),
      date: Date(timeIntervalSinceReferenceDate: 800_000_000.123456))
  }

  func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(complaint()) }
  }

  func holds(_ store: any AnswerStore, _ answer: KeptAnswer?, under key: AnswerKey) async throws {
    let found = try await store.read(key)
    try expect(
      found == answer,
      "under \(key.name.prefix(80).debugDescription) is \(short(found)), expected \(short(answer))")
  }

  /// The names of what is kept.
  func names(_ store: any AnswerStore) async throws -> Set<String> {
    Set(try await store.list().map(\.key.name))
  }

  private func short(_ answer: KeptAnswer?) -> String {
    guard let answer else { return "nothing" }
    return
      "\(answer.status) with \(answer.fields.count) fields and \(answer.data.count) bytes beginning with "
      + "\([UInt8](answer.data.prefix(16))), from \(answer.url), kept at \(answer.date.timeIntervalSince1970)"
  }
}

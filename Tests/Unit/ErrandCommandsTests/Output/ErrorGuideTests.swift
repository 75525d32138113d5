import Foundation
import Testing

@testable import ErrandCommands

@Suite struct ErrorGuideTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL

  /// Returns the names of the constants of a type, by the list of the public declarations.
  private func constants(of type: String, in module: String) throws -> [String] {
    let list = try String(contentsOf: Self.root.appending(path: "api/\(module).txt"), encoding: .utf8)
    return list.split(separator: "\n").compactMap { line in
      line.hasSuffix(": \(type)") && line.contains(" static let ")
        ? line.split(separator: "static let ")[1].split(separator: ":").first.map(String.init) : nil
    }
  }

  @Test func `each error code has its cause and its cure`() throws {
    #expect(
      try ErrorGuide.requests.map(\.code).sorted()
        == constants(of: "RequestError.Code", in: "ErrandCore").sorted())
    #expect(
      try ErrorGuide.outboxes.map(\.code).sorted()
        == constants(of: "OutboxError.Code", in: "ErrandOutbox").sorted())
  }

  @Test func `the article has the same text as the help`() throws {
    let article = try String(
      contentsOf: Self.root.appending(path: "Sources/Errand/Errand.docc/Errors.md"), encoding: .utf8)
    let help = HelpText.text(.errors)
    for guide in ErrorGuide.requests + ErrorGuide.outboxes {
      #expect(article.contains("\n| `\(guide.code)` | \(guide.cause) | \(guide.cure) |\n"))
      #expect(help.contains("\n  \(guide.code)\n      \(guide.cause)\n      \(guide.cure)"))
    }
  }
}

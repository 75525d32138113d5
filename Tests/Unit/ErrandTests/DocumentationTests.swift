import Foundation
import Testing

/// A document with code, and the Swift file of this target in which that code is compiled.
private struct Document: CustomTestStringConvertible, Sendable {
  let text: URL
  let code: URL

  var testDescription: String { text.lastPathComponent }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()
  static let catalogue = root.appending(path: "Sources/Errand/Errand.docc")
  static let readme = Document(root.appending(path: "README.md"))
  /// Its samples need other packages, so they are compiled by `make check-integrations`, as those of Neighbours.md.
  static let integrations = Document(root.appending(path: "Integrations/README.md"), code: integrationSamples)
  private static let integrationSamples = root.appending(path: "Tests/Integrations/Samples.swift")
  static let articles = ((try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? [])
    .filter { $0.hasSuffix(".md") }.sorted().map { name in
      Document(
        catalogue.appending(path: name), code: name == "Neighbours.md" ? integrationSamples : nil)
    }

  init(_ text: URL, code: URL? = nil) {
    self.text = text
    let name = text.deletingPathExtension().lastPathComponent
    self.code = code ?? Self.root.appending(path: "Tests/Unit/ErrandTests/Examples/\(name).swift")
  }

  /// The code between ```` ```swift ```` and the next fence, except the code of a `Package.swift`.
  func blocks() throws -> [String] {
    try String(contentsOf: text, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "\n```")[0] }
      .filter { !$0.hasPrefix(".package(") }
  }
}

@Suite struct DocumentationTests {
  @Test(arguments: [Document.readme, Document.integrations] + Document.articles)
  private func `a document's code is the compiled code`(document: Document) throws {
    let blocks = try document.blocks()
    #expect(!blocks.isEmpty, "each document has code")
    let compiled = try lines(String(contentsOf: document.code, encoding: .utf8))
    for block in blocks {
      // An import is at the top of the compiled file, away from the code that follows it.
      for paragraph in lines(block).split(separator: "") {
        let isCompiled = compiled.indices.contains { compiled[$0...].starts(with: paragraph) }
        #expect(isCompiled, "not compiled: \(paragraph.joined(separator: "\n"))")
      }
    }
  }

  @Test func `the README and the front page link to every article`() throws {
    #expect(Document.articles.count > 15)
    let readme = try String(contentsOf: Document.readme.text, encoding: .utf8)
    let front = try String(contentsOf: Document.catalogue.appending(path: "Errand.md"), encoding: .utf8)
    for article in Document.articles where article.testDescription != "Errand.md" {
      let name = article.text.deletingPathExtension().lastPathComponent
      #expect(readme.contains("(Sources/Errand/Errand.docc/\(name).md)"))
      #expect(front.contains("<doc:\(name)>"))
    }
  }

  /// The lines of a code, without their indentation.
  private func lines(_ code: String) -> [String] {
    code.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

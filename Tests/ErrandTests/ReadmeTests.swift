import Foundation
import Testing

@Suite struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `every example of the README is compiled`() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let compiled = try String(
      contentsOf: Self.root.appending(path: "Tests/ErrandTests/ReadmeExamples.swift"), encoding: .utf8)
    let lines = Set(compiled.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
    let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0]
    }
    #expect(blocks.count > 5)
    for block in blocks where !block.contains(".package(") {
      for line in block.split(separator: "\n") {
        let bare = line.trimmingCharacters(in: .whitespaces)
        #expect(lines.contains(bare), "not compiled: \(bare)")
      }
    }
  }
}

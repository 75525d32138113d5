import Foundation

@testable import ErrandCore

/// A folder of a test's own for kept answers, removed with it.
final class AnswerTestFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "errand-answers-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Where stores keep their answers; made by them.
  var answers: URL { url.appending(path: "answers") }

  func path(_ name: String) -> String { answers.appending(path: name).path }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: answers.path).sorted()) ?? [] }

  /// The only answer's file.
  var onlyAnswer: String? {
    let found = names.filter(AnswerFileName.isAnswer)
    return found.count == 1 ? found.first.map(path) : nil
  }
}

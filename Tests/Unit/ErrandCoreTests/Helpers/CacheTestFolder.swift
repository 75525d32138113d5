import Foundation
import TestSupport

@testable import ErrandCore

/// A temporary folder for one test's cached responses, removed with the last copy.
struct CacheTestFolder: Sendable {
  private let temporary: TemporaryFolder
  var url: URL { temporary.url }

  init() throws { temporary = try TemporaryFolder() }

  /// The folder in which the caches under test keep their responses; the caches create it.
  var responses: URL { url.appending(path: "responses") }

  func path(_ name: String) -> String { responses.appending(path: name).path }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: responses.path).sorted()) ?? []
  }

  /// The path of the only cached response, or nil if there is not exactly one.
  var onlyResponse: String? {
    let found = names.filter(CacheFileName.isResponse)
    return found.count == 1 ? found.first.map(path) : nil
  }
}

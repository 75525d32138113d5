import Errand
import Foundation

/// A file that the API lists.
struct Item: Codable, Sendable {
  var name: String
  var url: String
}

/// Copies the files that a paginated API lists into a folder, and later only what has changed.
struct FolderMirror: Sendable {
  struct Summary: Equatable, Sendable {
    var pages = 0
    var downloaded = 0
    var unchanged = 0
    var removed = 0
  }

  struct BadName: Error, CustomStringConvertible {
    let name: String
    var description: String {
      "the API lists a file with the name \(name.debugDescription), which is not followed"
    }
  }

  let client: Client
  let folder: URL
  var filesAtOnce = 4

  /// Mirrors the list that begins at a URL. It can be cancelled at any time: each file is whole or absent, and the next run
  /// continues where this one ended.
  func run(_ list: URL, progress: @escaping @Sendable (String, TransferProgress) -> Void = { _, _ in })
    async throws
    -> Summary
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var summary = Summary()
    var names: Set<String> = []
    // The Link field of each page leads to the next one (RFC 8288). A page that has not changed is not transferred again.
    for try await page in client.pages(of: .get(list).cached(.revalidate)) {
      summary.pages += 1
      let items = try page.decode([Item].self)
      names.formUnion(items.map(\.name))
      let base = page.url
      for isUnchanged in try await download(items, relativeTo: base, progress) {
        if isUnchanged { summary.unchanged += 1 } else { summary.downloaded += 1 }
      }
    }
    // Only after the whole list is known, so that a failure removes nothing.
    summary.removed = try removeOthers(than: names)
    return summary
  }

  private func download(
    _ items: [Item], relativeTo base: URL?, _ progress: @escaping @Sendable (String, TransferProgress) -> Void
  ) async throws -> [Bool] {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      var results: [Bool] = []
      for (index, item) in items.enumerated() {
        if index >= filesAtOnce, let result = try await group.next() { results.append(result) }
        group.addTask { try await download(item, relativeTo: base, progress) }
      }
      for try await result in group { results.append(result) }
      return results
    }
  }

  private func download(
    _ item: Item, relativeTo base: URL?, _ progress: @escaping @Sendable (String, TransferProgress) -> Void
  ) async throws -> Bool {
    // The names are the server's, so none may leave the folder.
    guard !item.name.isEmpty, !item.name.hasPrefix("."), !item.name.contains("/"), !item.name.contains("\0"),
      let url = URL(string: item.url, relativeTo: base)
    else { throw BadName(name: item.name) }
    // `ifChanged` asks with the ETag of the last download, and `resume` continues one that was cut off.
    let response = try await client.download(
      .get(url.absoluteURL), to: folder.appending(path: item.name), resume: true, ifChanged: true
    ) { progress(item.name, $0) }
    return response.isUnchanged
  }

  /// Removes the files that the API no longer lists.
  private func removeOthers(than names: Set<String>) throws -> Int {
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where !name.hasPrefix(".") && !names.contains(name) {
      try FileManager.default.removeItem(at: folder.appending(path: name))
      count += 1
    }
    return count
  }
}

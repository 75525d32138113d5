import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shows and removes the responses in the folder of a response cache.
struct CacheCommand {
  /// A cached response, as `--output json` shows it.
  private struct Row: Encodable {
    let url: String
    let status: Int
    let bytes: Int
    /// Seconds since 1970.
    let stored: Double
    /// Seconds; nil for a response that was cached under a name.
    let age: Double?
    /// The time in seconds for which it may still be used without asking its server; negative for a stale response.
    let fresh: Double?
    let why: String
    /// The header fields, each as `[name, value]`.
    var fields: [[String]]?
  }

  private struct Removed: Encodable {
    let removed: Int
  }

  let action: CacheAction
  let console: Console

  private var isJSON: Bool { action.format == .json }

  func run() async throws -> ExitCode {
    do {
      guard FileDescriptor.status(of: action.folder) != nil else {
        throw FileError(.read, action.folder, "there is no such folder")
      }
      try await perform(
        DiskResponseCache(folder: URL(literalPath: action.folder)) { [console] in console.say("errand: \($0)")
        })
      return .success
    } catch OutputDescriptor.Failure.readerGone {
      throw OutputDescriptor.Failure.readerGone
    } catch {
      return try console.end(with: CommandFailure(error), as: action.format)
    }
  }

  private func perform(_ cache: DiskResponseCache) async throws {
    let found = try await cache.listResponses().sorted { $0.entry.date > $1.entry.date }
    switch action.task {
    case .list: try list(found)
    case .show(let url): try show(try matching(url, found))
    case .remove(let url):
      let matching = try matching(url, found)
      for response in matching { try await cache.remove(response.entry.key) }
      try report(removed: matching.count)
    case .clear:
      try await cache.clear()
      try report(removed: found.count)
    }
  }

  /// - Throws: `UsageError`, if no response has this URL.
  private func matching(_ url: String, _ responses: [ListedResponse]) throws -> [ListedResponse] {
    let shown = Request.get(url).urlText(hiding: .standard)
    let found = responses.filter { $0.entry.url.absoluteString == shown || $0.entry.key.name == url }
    guard !found.isEmpty else {
      throw UsageError(
        "the cache has no response of \(url.quotedWithoutSecrets)",
        hint: "errand cache list FOLDER shows its URLs.")
    }
    return found
  }

  private func row(_ listed: ListedResponse) -> Row {
    let (entry, freshness) = (listed.entry, listed.response.freshness(at: Date()))
    return Row(
      url: entry.url.absoluteString, status: entry.status.code, bytes: Int(listed.bodyLength),
      stored: entry.date.timeIntervalSince1970, age: freshness?.age, fresh: freshness?.ttl,
      why: freshness?.reason ?? "cached as \(entry.key.name)")
  }

  private func list(_ responses: [ListedResponse]) throws {
    let rows = responses.map(row)
    if isJSON { return try console.show(rows) }
    let cells = rows.map { row in
      [
        "\(row.status)", Amounts.bytes(Int64(row.bytes)), row.age.map(SpanText.length) ?? "-",
        row.fresh.map { $0 > 0 ? SpanText.length($0) : "no" } ?? "-",
        row.url + (row.why == "fresh" ? "" : "  (\(row.why))"),
      ]
    }
    for line in TextTable.lines([["STATUS", "SIZE", "AGE", "FRESH", "URL"]] + cells) {
      try console.output.write(ControlEscaper.line(line) + "\n")
    }
  }

  private func show(_ responses: [ListedResponse]) throws {
    var rows: [Row] = []
    for listed in responses {
      let (entry, response) = (listed.entry, listed.response)
      var row = row(listed)
      row.fields = response.fields.map { [$0.name, $0.isSecret ? "***" : $0.value] }
      rows.append(row)
      if isJSON { continue }
      var lines = [
        "\(entry.status) from \(row.url)",
        "\(row.bytes) bytes, stored \(SpanText.since(entry.date, at: Date()))",
      ]
      lines.append(row.fresh.map { $0 > 0 ? "fresh for \(SpanText.length($0))" : row.why } ?? row.why)
      lines += response.fields.map { "\($0)" } + [""]
      for line in lines { try console.output.write(ControlEscaper.line(line) + "\n") }
    }
    if isJSON { try console.show(rows) }
  }

  private func report(removed count: Int) throws {
    if isJSON { return try console.show(Removed(removed: count)) }
    console.say("\(count) \(count == 1 ? "response was" : "responses were") removed")
  }
}

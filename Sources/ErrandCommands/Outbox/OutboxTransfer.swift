import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Exports and imports stored requests.
struct OutboxTransfer {
  let outbox: Outbox
  let console: Console

  /// - Parameter names: The beginnings or ends of the IDs to export; empty for all.
  func export(_ listing: OutboxListing, _ names: [String]) async throws {
    var selection = OutboxSelection(states: listing.states, lane: listing.lane.map { .named($0) })
    if !names.isEmpty {
      selection.ids = []
      for name in names { selection.ids?.append(try await OutboxFinder(outbox: outbox).entry(name).id) }
    }
    var writer = BodyWriter(console.output)
    let count = try await outbox.export(selection) { line in
      try Task.checkCancellation()
      try writer.write(line)
    }
    try writer.finish()
    console.say("* exported: \(count)")
  }

  /// - Parameter path: The file to read, or nil for standard input.
  func `import`(_ path: String?, isJSON: Bool) async throws {
    let counts =
      if let input = try path.map({ try PipedInput($0) }) ?? PipedInput.standard {
        try await outbox.import(input)
      } else {
        try await outbox.import(contentsOf: URL(literalPath: path ?? ""))
      }
    if isJSON { return try console.show(JSONImport(stored: counts.stored, known: counts.known)) }
    let known = counts.known > 0 ? "; skipped, because already known: \(counts.known)" : ""
    try console.output.write("stored: \(counts.stored)\(known)\n")
  }
}

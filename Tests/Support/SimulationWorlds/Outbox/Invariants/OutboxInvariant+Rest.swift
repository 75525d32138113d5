import ErrandCore
import ErrandOutbox

extension OutboxInvariant {
  static let quiet = OutboxInvariant(name: "no request is stored or being attempted when all is quiet") {
    evidence in
    var found = evidence.entries.filter(\.state.isOpen).map { "\($0.id) is \($0.state): \($0.reason ?? "")" }
    if evidence.sleepers > 0 { found.append("\(evidence.sleepers) tasks sleep") }
    if evidence.inFlight > 0 { found.append("\(evidence.inFlight) attempts are in flight") }
    return found
  }

  static let statistics = OutboxInvariant(name: "the statistics equal a recount") { evidence in
    let counts = Dictionary(grouping: evidence.entries, by: \.state).mapValues(\.count)
    let bytes = zip(evidence.entries, evidence.responses).filter {
      $0.0.state.isOpen || $0.0.state == .deadLettered
    }
    .reduce(0) { $0 + $1.0.size + $1.1 }
    var found: [String] = []
    if evidence.statistics.counts != counts {
      found.append("\(evidence.statistics.counts) instead of \(counts)")
    }
    if evidence.statistics.bytes != bytes {
      found.append("\(evidence.statistics.bytes) bytes instead of \(bytes)")
    }
    return found
  }

  static let contents = OutboxInvariant(
    name: "contents and files exist for the rows that need them, and for no others"
  ) {
    evidence in
    var found: [String] = []
    var files = 0
    for entry in evidence.entries {
      let isNeeded = [.stored, .attempting, .deadLettered, .expired].contains(entry.state)
      if isNeeded != evidence.contents.contains(entry.id) {
        found.append("\(entry.id) is \(entry.state), and its content is \(isNeeded ? "gone" : "there")")
      }
      let ask = OutboxAsk.id(of: entry.id).flatMap { id in evidence.asks.first { $0.ask.id == id } }
      if isNeeded, ask?.ask.isFile ?? false { files += 1 }
    }
    if evidence.files.count != files {
      found.append("\(evidence.files.count) files for \(files) rows that need one")
    }
    return found + evidence.steps.filter { $0.kind == .damaged }.map { "\($0)" }
  }

  static let store = OutboxInvariant(name: "the store never fails") { $0.failures }
}

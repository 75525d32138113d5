import ErrandOutbox

/// The reports of an outbox before the power loss, read from the marks in the trace.
struct Knowledge {
  /// The requests whose `enqueue` returned.
  var stored: Set<Int> = []
  /// The groups of requests whose `enqueue` had begun: each group must be stored completely or not at all.
  var groups: [[Int]] = []
  /// The outcomes that were reported.
  var outcomes: [Int: OutboxState] = [:]

  static func storing(_ numbers: [Int]) { say("storing", numbers.map(String.init)) }
  static func stored(_ numbers: [Int]) { say("stored", numbers.map(String.init)) }
  static func over(_ number: Int, _ state: OutboxState) { say("over", ["\(number)", "\(state.rawValue)"]) }

  private static func say(_ word: String, _ rest: [String]) {
    DiskTrace.say(([word] + rest).joined(separator: " "))
  }

  mutating func read(_ mark: String) {
    let words = mark.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    switch words.first {
    case "storing": groups.append(numbers)
    case "stored": stored.formUnion(numbers)
    case "over": outcomes[numbers[0]] = OutboxState(rawValue: numbers[1])
    default: preconditionFailure("\(mark) is not a mark")
    }
  }
}

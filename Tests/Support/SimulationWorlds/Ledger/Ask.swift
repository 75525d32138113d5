import ErrandCore

/// The request of a simulated user, as the world describes it: the invariants check against this, not against
/// the `Request`.
struct Ask: Sendable {
  let id: Int
  var method: HTTPMethod
  var host: String
  var path: String
  var text = ""
  var hasKey = false
  var maxAttempts = 3
  var deadline: Duration?
  /// The requests that must have succeeded before this one.
  var after: [Int] = []
  var priority = Priority.default
  var rule: Rule?
  /// The scope whose end cancels it.
  var scope: Int?
  /// True if the outcome is handed to an object that may have been deallocated by then.
  var isHanded = false
  /// Set if the response may come from the HTTP cache.
  var reading: Reading?
  /// The documents that it changes if it succeeds.
  var changes: Set<Int> = []
  /// The person who changes them.
  var writer = Reader.anyone
  /// Set if it reads a note.
  var note: NoteReading?
  /// The note that it writes.
  var writes: Int?
  /// How long it waits for the network; nil if it does not.
  var waits: Duration?

  /// True if the request may be sent twice.
  var isRepeatable: Bool { hasKey || method.isIdempotent }
  var url: String { "http://\(host)\(path)" }

  static let idField = "X-Request-ID"
}

extension Ask: CustomStringConvertible {
  var description: String {
    var text = "#\(id) \(method) \(url), \(maxAttempts) attempts"
    if let deadline { text += ", deadline \(deadline)" }
    if !after.isEmpty { text += ", after \(after)" }
    if priority != .default { text += ", \(priority)" }
    if let rule { text += ", \(rule)" }
    if let scope { text += ", in scope \(scope)" }
    if !changes.isEmpty { text += ", changes \(changes.sorted()) for \(writer)" }
    if let note { text += ", for \(note)" }
    if let writes { text += ", writes note \(writes)" }
    if let waits { text += ", waits for the network for \(waits)" }
    if let reading {
      text += ", for \(reading.reader) in \(reading.language ?? "any language"), asking for \(reading.wish)"
    }
    return text
  }
}

import ErrandCore

/// What a virtual user asks for, in the world's own words: the invariants judge by this, not by the `Request`.
struct Ask: Sendable {
  let id: Int
  var method: ErrandCore.Method
  var host: String
  var path: String
  var text = ""
  var hasKey = false
  var maxTries = 3
  var deadline: Duration?
  /// Those that must have succeeded before it.
  var after: [Int] = []
  var priority = Priority.default
  var rule: Rule?
  /// What it ends with.
  var scope: Int?
  /// True if the outcome is handed to an object that may be gone by then.
  var isHanded = false

  /// True if doing it twice is doing it once.
  var isRepeatable: Bool { hasKey || method.isIdempotent }
  var url: String { "http://\(host)\(path)" }

  static let idField = "X-Request-ID"
}

extension Ask: CustomStringConvertible {
  var description: String {
    var text = "#\(id) \(method) \(url), \(maxTries) tries"
    if let deadline { text += ", deadline \(deadline)" }
    if !after.isEmpty { text += ", after \(after)" }
    if priority != .default { text += ", \(priority)" }
    if let rule { text += ", \(rule)" }
    if let scope { text += ", in scope \(scope)" }
    return text
  }
}

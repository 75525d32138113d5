/// The request fields that select among the responses of one URL (RFC 9110, section 12.5.5). Pure.
struct Vary: Sendable, Hashable {
  /// True if no later request can be known to select the response (`*`).
  let isAny: Bool
  /// The names of the request fields in lower case, sorted.
  let names: [String]

  /// Reads all lines of `Vary`.
  init(_ response: HTTPFields) {
    guard response.contains("Vary") else {
      (isAny, names) = (false, [])
      return
    }
    let members = response.values(of: "Vary").flatMap { $0.split(separator: ",") }
      .map { ASCII.lowercased(ASCII.trimmed($0)) }.filter { !$0.isEmpty }
    isAny = members.contains("*")
    names = Set(members).sorted()
  }

  /// Returns the values of the selecting fields in a request, in the order of `names`. Two requests with equal values
  /// select the same response.
  /// - Parameter digest: Makes the value of a secret field that is stored.
  func values(in request: HTTPFields, secrets: Secrets, _ digest: (String) -> String) -> [String?] {
    names.map { name in
      guard request.contains(name) else { return nil }
      var isSecret = false
      for field in request where ASCII.equalIgnoringCase(field.name, name) && secrets.covers(field) {
        isSecret = true
      }
      let value = Self.normalized(request[name] ?? "", of: name)
      return isSecret ? digest(value) : value
    }
  }

  /// Returns the value in a form that is equal for values with the same meaning: white space around commas does not
  /// count; in negotiation fields, case and the order of members do not count either.
  static func normalized(_ value: String, of name: String) -> String {
    guard ["accept-language", "accept-encoding", "accept-charset"].contains(name) else {
      // White space in quotes, and empty members, may have a meaning.
      if value.utf8.contains(UInt8(ascii: "\"")) { return ASCII.trimmed(value) }
      return value.split(separator: ",", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
        .joined(separator: ",")
    }
    let members = value.split(separator: ",").map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
    // The weight decides, not the position. Members of equal weight have no order.
    return members.map { member in
      ASCII.lowercased(member.filter { $0 != " " && $0 != "\t" })
    }.sorted().joined(separator: ",")
  }
}

/// The languages that a request prefers (RFC 9110, section 12.5.4). Pure.
enum LanguagePreference {
  /// Returns true if a response in this language is what the request prefers to all others, so that the server would
  /// choose it again.
  /// - Parameters:
  ///   - language: The value of the response's `Content-Language`.
  ///   - accept: The value of the request's `Accept-Language`.
  static func prefers(_ language: String, _ accept: String) -> Bool {
    var best = 0.0
    var preferred: [String] = []
    for member in accept.split(separator: ",") {
      let parts = member.split(separator: ";").map { ASCII.lowercased(ASCII.trimmed($0)) }
      guard let range = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best { (best, preferred) = (weight, []) }
      if weight == best, weight > 0 { preferred.append(range) }
    }
    return preferred == [ASCII.lowercased(ASCII.trimmed(language))]
  }
}

/// Scans a URL once and finds the secrets in it. In doubt, it hides more.
struct SecretScan {
  struct Finding {
    /// The name of the item; nil for a part of a URL within the URL.
    let name: String?
    let value: String
    /// True for the user and the password of the URL itself.
    var isUser = false
  }

  private(set) var findings: [Finding] = []
  /// The URL with `***` in place of every secret.
  var shown: String { findings.isEmpty ? text : String(decoding: output, as: UTF8.self) }

  private let text: String
  private let input: [UInt8]
  private let secrets: Secrets
  /// The number of values within which the scanned text is nested.
  private let depth: Int
  static let mostDepth = 3
  /// True for a form in a body, which may have more secrets than a URL.
  private let isBody: Bool
  private var output: [UInt8] = []
  /// The index up to which a search has found no user of an inner URL.
  private var userless = 0

  private let mask: SecretMask

  init(
    _ text: String, _ secrets: Secrets, _ mask: SecretMask = .stars, depth: Int = 0, isBody: Bool = false
  ) {
    self.text = text
    self.isBody = isBody
    self.mask = mask
    self.depth = depth
    self.secrets = secrets
    input = Array(text.utf8)
    output.reserveCapacity(input.count)
    let path = scanUser()
    scanItems(from: scanPath(from: path))
  }

  // MARK: User and password

  /// Writes everything before the path, and returns where the path begins.
  private mutating func scanUser() -> Int {
    let start = authority
    // A backslash ends the host for some programs, and is a part of the user for others.
    let end = first(of: "/?#", from: start)
    output += input[..<start]
    if let at = input[start..<end].lastIndex(of: UInt8(ascii: "@")) {
      hide(start..<at, named: "user", isUser: true)
      output += input[at..<end]
    } else if let decoded = decoded(start..<end), decoded?.contains(UInt8(ascii: "@")) ?? true {
      // The whole text may be encoded.
      hide(start..<end)
    } else {
      output += input[start..<end]
    }
    return end
  }

  /// The index after the slashes, or after the scheme if the text has no slashes.
  private var authority: Int {
    let end = first(of: "?#", from: 0)
    for index in 0..<max(0, end - 1) where isSlash(index) && isSlash(index + 1) { return index + 2 }
    guard let colon = input[..<end].firstIndex(of: UInt8(ascii: ":")),
      ASCII.equalIgnoringCase(string(0..<colon), "http")
        || ASCII.equalIgnoringCase(string(0..<colon), "https")
    else { return 0 }
    return colon + 1
  }

  /// Returns where the user of an inner URL ends, if its slashes end before `start` and it has a user.
  private mutating func innerUserEnd(from start: Int, delimiters: String) -> Int? {
    guard start > 1, start >= userless, start < input.count, !isSlash(start), isSlash(start - 1),
      isSlash(start - 2) || input[start - 2] == UInt8(ascii: ":")
    else { return nil }
    let end = first(of: delimiters, from: start)
    if let at = input[start..<end].lastIndex(of: UInt8(ascii: "@")) { return at }
    userless = end
    return nil
  }

  // MARK: Path

  /// Writes the path, and returns where it ends.
  private mutating func scanPath(from start: Int) -> Int {
    let end = first(of: "?#", from: start)
    if let decoded = decoded(start..<end), decoded.map(isURLWithSecret) ?? true {
      hide(start..<end)
      return end
    }
    var index = start
    while index < end {
      if let at = innerUserEnd(from: index, delimiters: "/?#") {
        hide(index..<at)
        index = at
      }
      output.append(input[index])
      index += 1
      if input[index - 1] == UInt8(ascii: ";") { index = scanItem(from: index, inPath: true) }
    }
    return end
  }

  // MARK: Query and fragment

  private mutating func scanItems(from start: Int) {
    var index = start
    while index < input.count {
      output.append(input[index])
      index = scanItem(from: index + 1, inPath: false)
    }
  }

  /// Writes one item and returns where it ends. An item that is not secret ends early, because another may
  /// begin in its value.
  private mutating func scanItem(from start: Int, inPath isPath: Bool) -> Int {
    let (end, innerUser) = isPath ? (first(of: ";/?#", from: start), nil) : endOfItem(from: start)
    let equals = input[start..<(innerUser ?? end)].firstIndex(of: UInt8(ascii: "="))
    let value = equals.map { $0 + 1 } ?? start
    output += input[start..<value]
    var valueEnd = end
    if let equals, isSecret(start..<equals) {
      // The longest range that may belong to the value.
      valueEnd = first(of: isPath ? "/?#" : "&#", from: equals)
    } else if innerUser == nil, !holdsSecret(value..<end) {
      output += input[value..<end]
      return end
    }
    hide(value..<valueEnd, named: equals.map { name(start..<$0) })
    return valueEnd
  }

  /// Returns where an item of the query ends, and where the user of a URL in it begins. That user may contain
  /// characters that otherwise begin an item.
  private mutating func endOfItem(from start: Int) -> (Int, innerUser: Int?) {
    var (index, innerUser) = (start, Int?.none)
    while index < input.count, !";?#&".utf8.contains(input[index]) {
      index += 1
      if let at = index - start > 1 ? innerUserEnd(from: index, delimiters: "/?#&") : nil {
        innerUser = innerUser ?? index
        index = at
      }
    }
    return (index, innerUser)
  }

  private func isSecret(_ name: Range<Int>) -> Bool {
    isBody ? secrets.isSecret(bodyItem: input[name]) : secrets.isSecret(item: input[name])
  }

  /// Returns true for a value that is an encoded URL, or an encoded form, with a secret in it. In a body, it may
  /// also be JSON.
  private func holdsSecret(_ range: Range<Int>) -> Bool {
    // The secrets of a URL that is not encoded are found in their places.
    guard let decoded = decoded(range) else { return isBody && isJSONWithSecret(Array(input[range])) }
    guard let decoded else { return true }
    if isBody, isJSONWithSecret(decoded) { return true }
    // The value may begin with an item, so it is also scanned as a query.
    return isURLWithSecret(decoded)
      || SecretScan("?" + String(decoding: decoded, as: UTF8.self), secrets, depth: depth + 1, isBody: isBody)
        .findings.contains { !$0.isUser }
  }

  private func isJSONWithSecret(_ bytes: [UInt8]) -> Bool {
    // A form has a plus sign for each space.
    let text = bytes.map { $0 == UInt8(ascii: "+") ? 32 : $0 }
    return JSONRedaction.isJSON(text)
      && secrets.holdsSecret(String(decoding: text, as: UTF8.self), depth: depth + 1)
  }

  // MARK: Parts

  private func isURLWithSecret(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    // An e-mail address has no slashes before it.
    guard text.contains("//") || text.contains("\\\\") || text.contains(":/") else { return false }
    return !SecretScan(text, secrets, depth: depth + 1).findings.isEmpty
  }

  /// Returns the decoded bytes of an encoded range; nil if it is not encoded. The inner value is nil if the
  /// range is encoded too often, or nested too deeply.
  private func decoded(_ range: Range<Int>) -> [UInt8]?? {
    guard input[range].contains(UInt8(ascii: "%")) else { return nil }
    guard depth < Self.mostDepth, let decoded = SecretName.decoded(Array(input[range])) else {
      return .some(nil)
    }
    return decoded.count < range.count ? .some(decoded) : nil
  }

  private mutating func hide(_ range: Range<Int>, named name: String? = nil, isUser: Bool = false) {
    findings.append(Finding(name: name, value: string(range), isUser: isUser))
    output += (isUser ? mask.user : mask.value).utf8
  }

  private func isSlash(_ index: Int) -> Bool {
    input[index] == UInt8(ascii: "/") || input[index] == UInt8(ascii: "\\")
  }

  private func first(of delimiters: String, from start: Int) -> Int {
    input[start...].firstIndex { delimiters.utf8.contains($0) } ?? input.count
  }

  private func name(_ range: Range<Int>) -> String {
    SecretName.decoded(Array(input[range])).map { String(decoding: $0, as: UTF8.self) } ?? string(range)
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: input[range], as: UTF8.self) }
}

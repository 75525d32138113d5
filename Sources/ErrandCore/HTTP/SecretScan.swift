/// Scans a URL once and finds the secrets in it. In doubt it hides more.
struct SecretScan {
  struct Finding {
    let name: String
    let value: String
    /// True for the user and the password.
    var isUser = false
  }

  private(set) var findings: [Finding] = []
  /// The URL with `***` in the place of every secret.
  var shown: String { findings.isEmpty ? text : String(decoding: output, as: UTF8.self) }

  private let text: String
  private let input: [UInt8]
  private let secrets: Secrets
  /// How many values the scanned text is nested in.
  private let depth: Int
  private static let mostDepth = 3
  private var output: [UInt8] = []

  private static let stars = Array("***".utf8)

  init(_ text: String, _ secrets: Secrets, depth: Int = 0) {
    self.text = text
    self.depth = depth
    self.secrets = secrets
    input = Array(text.utf8)
    output.reserveCapacity(input.count)
    scanItems(from: scanUser())
  }

  // MARK: User and password

  /// Writes everything before the path, and returns where the path begins.
  private mutating func scanUser() -> Int {
    let start = authority
    // A backslash ends the host for some programs, and is a part of the user for others.
    let end = input[start...].firstIndex { "/?#".utf8.contains($0) } ?? input.count
    output += input[..<start]
    if let at = input[start..<end].lastIndex(of: UInt8(ascii: "@")) {
      findings.append(Finding(name: "user", value: string(start..<at), isUser: true))
      output += Self.stars
      output += input[at..<end]
    } else {
      output += input[start..<end]
    }
    return end
  }

  /// The index after the slashes, or after the scheme if there are no slashes.
  private var authority: Int {
    let end = input.firstIndex { "?#".utf8.contains($0) } ?? input.count
    func isSlash(_ index: Int) -> Bool {
      input[index] == UInt8(ascii: "/") || input[index] == UInt8(ascii: "\\")
    }
    for index in 0..<max(0, end - 1) where isSlash(index) && isSlash(index + 1) { return index + 2 }
    guard let colon = input[..<end].firstIndex(of: UInt8(ascii: ":")),
      ASCII.equalIgnoringCase(string(0..<colon), "http")
        || ASCII.equalIgnoringCase(string(0..<colon), "https")
    else { return 0 }
    return colon + 1
  }

  // MARK: Path, query and fragment

  private mutating func scanItems(from path: Int) {
    var index = path
    var isPath = true
    while index < input.count {
      let byte = input[index]
      output.append(byte)
      index += 1
      if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { isPath = false }
      let begins = isPath ? byte == UInt8(ascii: ";") : ";?#&".utf8.contains(byte)
      if begins { index = scanItem(from: index, inPath: isPath) }
    }
  }

  /// Writes one item and returns where it ends. An item that is not secret ends early: another may begin in
  /// its value.
  private mutating func scanItem(from start: Int, inPath isPath: Bool) -> Int {
    let delimiters = isPath ? ";/?#" : ";?#&"
    let end = input[start...].firstIndex { delimiters.utf8.contains($0) } ?? input.count
    guard let equals = input[start..<end].firstIndex(of: UInt8(ascii: "=")) else {
      output += input[start..<end]
      return end
    }
    output += input[start...equals]
    var valueEnd = end
    if secrets.isSecret(item: input[start..<equals]) {
      // The longest range that may belong to the value.
      let ends = isPath ? "/?#" : "&#"
      valueEnd = input[equals...].firstIndex { ends.utf8.contains($0) } ?? input.count
    } else if !holdsSecret(equals + 1..<end) {
      output += input[equals + 1..<end]
      return end
    }
    findings.append(Finding(name: name(start..<equals), value: string(equals + 1..<valueEnd)))
    output += Self.stars
    return valueEnd
  }

  /// Returns true for a value that is itself a URL, or a form, with a secret in it.
  private func holdsSecret(_ range: Range<Int>) -> Bool {
    let value = Array(input[range])
    guard value.contains(where: { "%@".utf8.contains($0) }) else { return false }
    guard depth < Self.mostDepth, let decoded = SecretName.decoded(value) else { return true }
    guard decoded != value || decoded.contains(UInt8(ascii: "@")) else { return false }
    let text = String(decoding: decoded, as: UTF8.self)
    // An e-mail address has no slashes before it. The value may begin with an item, so it is also scanned as
    // a query.
    let isURL = text.contains("//") || text.contains("\\\\")
    return (isURL && !SecretScan(text, secrets, depth: depth + 1).findings.isEmpty)
      || SecretScan("?" + text, secrets, depth: depth + 1).findings.contains { !$0.isUser }
  }

  private func name(_ range: Range<Int>) -> String {
    SecretName.decoded(Array(input[range])).map { String(decoding: $0, as: UTF8.self) } ?? string(range)
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: input[range], as: UTF8.self) }
}

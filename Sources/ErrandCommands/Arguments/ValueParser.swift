import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Parses the values of options.
enum ValueParser {
  /// Returns the URL unchanged if it has a scheme. Otherwise adds `http` if it names this machine, else `https`.
  static func url(_ text: String) -> String {
    // `:3000/path` and `:/path` are on this machine.
    if text.hasPrefix(":"), text.dropFirst().first.map({ $0.isNumber || $0 == "/" }) ?? false {
      return "http://localhost" + (text.hasPrefix(":/") ? String(text.dropFirst()) : text)
    }
    let first = text.prefix { !":/?#[@".contains($0) }
    let rest = text.dropFirst(first.count)
    // A number behind the colon is a port; anything else makes the name a scheme.
    let hasScheme = rest.first == ":" && rest.dropFirst().first?.isNumber != true
    let namesHost = first.utf8.first.map { $0 > 47 } ?? text.hasPrefix("[")
    if hasScheme || !namesHost { return text }
    return (namesThisMachine(text) ? "http://" : "https://") + text
  }

  /// Returns true if a URL without a scheme names this machine. Text before an `@` is a user, not the host.
  private static func namesThisMachine(_ text: String) -> Bool {
    let authority = text.prefix { !"/?#\\".contains($0) }
    guard !authority.contains("@") else { return false }
    let host = String(authority.prefix { !":[".contains($0) })
    let name = HostName.canonical(host) ?? ASCII.lowercased(host)
    return name == "localhost" || name.hasSuffix(".localhost") || isLoopback(name) || authority == "[::1]"
      || authority.hasPrefix("[::1]:")
  }

  /// Returns true for an address in 127.0.0.0/8. A host name may also begin with `127.`, so all parts are checked.
  private static func isLoopback(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { 48...57 ~= $0 } && UInt8(part) != nil
      }
  }

  /// Returns true if the text can only be a URL, not a command's name.
  static func isURL(_ text: String) -> Bool {
    if text.contains("://") || text.hasPrefix(":") { return true }
    let namesHost = text.lowercased() == "localhost" || text.contains { ".:/".contains($0) }
    return namesHost && url(text) != text
  }

  /// Parses `10s`, `1.5m`, `250ms`, `2h` or `7d`; a bare number is seconds.
  static func duration(_ text: String, for option: OptionSpec) throws(UsageError) -> Duration {
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]
    let (suffix, scale) = units.first { text.hasSuffix($0.0) } ?? ("", 1)
    let number = text.dropLast(suffix.count)
    // `Double` also reads "inf", "nan" and "0x1p3".
    guard let first = number.utf8.first, first == 0x2E || 48...57 ~= first,
      number.utf8.allSatisfy({ $0 == 0x2E || 48...57 ~= $0 }), let value = Double(number),
      value * scale >= 0.001, value * scale <= 365 * 86_400
    else {
      throw UsageError(
        "\(option.name) takes a duration, not \(text.debugDescription)",
        hint: "For example: 500ms, 10s, 1.5m, 2h or 7d.")
    }
    return .seconds(value * scale)
  }

  /// Returns the path, or nil if the option is not given. Throws if it is empty.
  static func path(_ text: String?, for option: OptionSpec) throws(UsageError) -> String? {
    if text?.isEmpty ?? false {
      throw UsageError("the value of \(option.name) is empty: \(option.name) \(option.placeholder ?? "")")
    }
    return text
  }

  /// Returns the text of a file, without line breaks at its end.
  /// - Parameter name: The argument that names the file, for the message.
  static func text(in path: String, for name: String) throws(UsageError) -> String {
    do {
      return try SecretFile.text(in: path, "text")
    } catch {
      throw UsageError(
        "\(name.quotedWithoutSecrets): \(error)",
        hint: "For text that begins with @: -H 'Name: @text' or -q name=@text.")
    }
  }

  /// Returns the value of one `Cookie` field for all cookies of `-b` (RFC 6265, section 5.4).
  static func cookies(_ texts: [String]) throws(UsageError) -> String {
    guard texts.allSatisfy({ $0.contains("=") }) else {
      throw UsageError(
        "-b takes name=value, but its value has no =", hint: "To send the cookies in a file: --cookies FILE.")
    }
    return texts.joined(separator: "; ")
  }

  static func number(_ text: String, atLeast least: Int, for option: OptionSpec) throws(UsageError) -> Int {
    guard let number = Int(text), number >= least else {
      throw UsageError("\(option.name) takes a number of at least \(least), not \(text.debugDescription)")
    }
    return number
  }

  /// Parses a number of bytes: `100`, `500K`, `2M` or `1G`, with units of 1024.
  static func bytes(_ text: String, for option: OptionSpec) throws(UsageError) -> Int {
    let units = "KMG"
    let shift = text.last.flatMap { units.firstIndex(of: Character($0.uppercased())) }.map {
      units.distance(from: units.startIndex, to: $0) + 1
    }
    guard let number = Int(shift == nil ? text : String(text.dropLast())),
      1...(1 << 20) ~= number || (shift == nil && number > 0)
    else {
      throw UsageError(
        "\(option.name) takes a number of bytes, not \(text.debugDescription)",
        hint: "For example: 500K or 2M.")
    }
    return number << (10 * (shift ?? 0))
  }

  /// Returns the port of `--port`, or 0 for a free one.
  static func port(_ arguments: ScannedArguments) throws(UsageError) -> Int {
    guard let text = arguments.last(.port) else { return 0 }
    let port = try number(text, atLeast: 1, for: .port)
    guard port < 65536 else { throw UsageError("--port takes a number up to 65535") }
    return port
  }

  static func count(_ text: String, for option: OptionSpec) throws(UsageError) -> Int {
    guard let count = Int(text), 0...1000 ~= count else {
      throw UsageError("\(option.name) takes a number from 0 to 1000, not \(text.debugDescription)")
    }
    return count
  }

  /// Parses `Name: value`. `Name:` and `Name;` have an empty value, as in curl.
  static func field(_ text: String) throws(UsageError) -> HTTPFields.Field {
    guard let end = text.firstIndex(of: ":") ?? (text.hasSuffix(";") ? text.lastIndex(of: ";") : nil),
      ASCII.isToken(String(text[..<end]))
    else {
      throw UsageError(
        text.contains(":")
          ? "what stands before the colon of a header field is not a field name"
          : "-H takes 'Name: value', but its value has no field name before a colon",
        hint: text.hasPrefix("@")
          ? "For the value of one field, a file can be named after the URL: Name:@FILE."
          : "For example: -H 'Accept: application/json'.")
    }
    let value = ASCII.trimmed(text[text.index(after: end)...])
    if value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) {
      throw UsageError(
        "the value of the field \(text[..<end]) contains a line break or NUL, which is not allowed")
    }
    return HTTPFields.Field(String(text[..<end]), value)
  }

  /// Parses `name=value`. The value may contain `=`.
  static func pair(_ text: String, for option: OptionSpec) throws(UsageError) -> NameAndValue {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
      throw UsageError(
        "\(option.name) takes \(option.placeholder ?? "name=value"), but its value has no name before a =",
        hint: option == .form ? "For a form with several fields: --form a=1 --form b=2." : nil)
    }
    return NameAndValue(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }

  /// Parses `host:443:127.0.0.1`, `host:443:[::1]` or `host:443:::1`.
  static func override(_ text: String) throws(UsageError) -> AddressOverride {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !parts[0].isEmpty, let port = Int(parts[1]), 1...65535 ~= port else {
      throw UsageError(
        "--resolve takes HOST:PORT:ADDRESS, not \(text.debugDescription)",
        hint: "For example: --resolve example.com:443:127.0.0.1.")
    }
    var address = parts[2]
    if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
    guard isAddress(address) else {
      throw UsageError(
        "\(parts[2].debugDescription) is not an IP address", hint: "--resolve takes an address, not a name.")
    }
    return AddressOverride(host: parts[0], port: port, address: address)
  }

  private static func isAddress(_ text: String) -> Bool {
    var room = in6_addr()
    return [AF_INET, AF_INET6].contains { inet_pton($0, text, &room) == 1 }
  }

  /// Parses `host=sha256/BASE64`; without `host=` the pin applies to every host. As the prefix, curl's
  /// `sha256//` or nothing is accepted, too.
  static func pin(_ text: String) throws(UsageError) -> NameAndValue {
    let end = text.firstRange(of: "=sha256/")?.lowerBound
    let value = end.map { String(text[text.index(after: $0)...]) } ?? text
    let pin = NameAndValue(
      name: end.map { String(text[..<$0]) } ?? "*",
      value: (PublicKeyPin(value) ?? PublicKeyPin("sha256/\(value)"))?.description ?? value)
    do throws(TLSProblem) {
      _ = try PublicKeyPins([pin.name: [pin.value]])
    } catch {
      throw UsageError(
        "--pin takes a host and the SHA-256 of its public key in base64 (44 characters): \(error)",
        hint: "For example: --pin api.example.com=sha256/... This command prints the base64: "
          + "openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform der "
          + "| openssl dgst -sha256 -binary | base64")
    }
    return pin
  }

  static func tlsVersion(_ text: String) throws(UsageError) -> TLSVersion {
    guard let version = TLSVersion(rawValue: text) else {
      throw UsageError("--tls-min takes 1.2 or 1.3, not \(text.debugDescription)")
    }
    return version
  }

  /// Returns the path, or nil if the option is not given. Throws if it is empty.
  static func file(_ text: String?, for option: OptionSpec) throws(UsageError) -> String? {
    if text?.isEmpty ?? false { throw UsageError("\(option.name) needs a file name") }
    return text
  }

  /// Parses `file:password`. In the file, `\:` is a colon and `\\` is a backslash.
  static func fileAndPassword(_ text: String) -> (String, String?) {
    var file: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: ":") { return (String(decoding: file, as: UTF8.self), String(Substring(rest))) }
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: ":") {
        rest.removeFirst()
        file.append(next)
      } else {
        file.append(byte)
      }
    }
    return (String(decoding: file, as: UTF8.self), nil)
  }

  /// Returns the path in `@FILE`. A password as the value would appear in the list of processes.
  static func passwordFile(_ text: String?) throws(UsageError) -> String? {
    guard let text else { return nil }
    guard text.utf8.first == UInt8(ascii: "@"), text.utf8.count > 1 else {
      throw UsageError(
        "--key-password takes @FILE, a file that contains the password",
        hint: "A password on the command line would appear in the list of processes.")
    }
    return String(text.dropFirst())
  }

  static func userAndPassword(_ text: String) throws(UsageError) -> (String, String) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
      throw UsageError(
        "--proxy-user takes USER:PASSWORD, but its value has no user before a colon")
    }
    return (String(text[..<colon]), String(text[text.index(after: colon)...]))
  }

  static func proxy(_ text: String) throws(UsageError) -> String {
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    let scheme = text.firstRange(of: "://").map { ASCII.lowercased(String(text[..<$0.lowerBound])) }
    if text != "none", text.isEmpty || !(scheme.map(schemes.contains) ?? true) {
      throw UsageError(
        "--proxy takes a URL, not \(text.quotedWithoutSecrets)",
        hint: "For example: http://proxy:3128 or socks5://localhost:1080. --proxy none uses no proxy.")
    }
    return text
  }
}

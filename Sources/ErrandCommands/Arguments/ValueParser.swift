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
  /// Returns a URL as it is; to one without a scheme adds `http` if it names this machine, else `https`.
  static func url(_ text: String) -> String {
    let first = text.prefix { !":/?#[@".contains($0) }
    let rest = text.dropFirst(first.count)
    // A number behind the colon is a port; anything else makes the name a scheme.
    let hasScheme = rest.first == ":" && rest.dropFirst().first?.isNumber != true
    let namesHost = first.utf8.first.map { $0 > 47 } ?? text.hasPrefix("[")
    if hasScheme || !namesHost { return text }
    return (namesThisMachine(text) ? "http://" : "https://") + text
  }

  /// Returns true if the host of a URL without a scheme is this machine: what stands before an `@` is a user.
  private static func namesThisMachine(_ text: String) -> Bool {
    let authority = text.prefix { !"/?#\\".contains($0) }
    guard !authority.contains("@") else { return false }
    let host = String(authority.prefix { !":[".contains($0) })
    let name = HostName.canonical(host) ?? ASCII.lowercased(host)
    return name == "localhost" || name.hasSuffix(".localhost") || isLoopback(name) || authority == "[::1]"
      || authority.hasPrefix("[::1]:")
  }

  /// Returns true for an address in 127.0.0.0/8: a host's name may begin with `127.`, too.
  private static func isLoopback(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { 48...57 ~= $0 } && UInt8(part) != nil
      }
  }

  /// Returns true for what stands in the place of a command and can only be meant as a URL.
  static func isURL(_ text: String) -> Bool {
    if text.contains("://") { return true }
    let namesHost = text.lowercased() == "localhost" || text.contains { ".:/".contains($0) }
    return namesHost && url(text) != text
  }

  /// `10s`, `1.5m`, `250ms`, `2h`, `7d`; a bare number is seconds.
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
        hint: "As in 500ms, 10s, 1.5m, 2h, 7d.")
    }
    return .seconds(value * scale)
  }

  /// Returns the path, or nil if there is none; an empty path is an error.
  static func path(_ text: String?, for option: OptionSpec) throws(UsageError) -> String? {
    if text?.isEmpty ?? false { throw UsageError("\(option.name) names no place") }
    return text
  }

  static func number(_ text: String, atLeast least: Int, for option: OptionSpec) throws(UsageError) -> Int {
    guard let number = Int(text), number >= least else {
      throw UsageError("\(option.name) takes a number from \(least) on, not \(text.debugDescription)")
    }
    return number
  }

  /// The port to serve a page at; 0 for a free one.
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

  /// `Name: value`; `Name:` and `Name;` are empty values, as curl has them.
  static func field(_ text: String) throws(UsageError) -> HTTPFields.Field {
    guard let end = text.firstIndex(of: ":") ?? (text.hasSuffix(";") ? text.lastIndex(of: ";") : nil),
      ASCII.isToken(String(text[..<end]))
    else {
      throw UsageError(
        "-H takes 'Name: value', and there is no colon behind a name in what was given",
        hint: "As in -H 'Accept: application/json'.")
    }
    let value = ASCII.trimmed(text[text.index(after: end)...])
    if value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) {
      throw UsageError("the value of the field \(text[..<end]) contains a line break, which no field can")
    }
    return HTTPFields.Field(String(text[..<end]), value)
  }

  /// `name=value`; the value may contain `=`.
  static func pair(_ text: String, for option: OptionSpec) throws(UsageError) -> NameAndValue {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
      throw UsageError(
        "\(option.name) takes \(option.placeholder ?? "name=value"), and there is no = behind a name in what was given"
      )
    }
    return NameAndValue(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }

  /// `host:443:127.0.0.1`, `host:443:[::1]`, `host:443:::1`.
  static func override(_ text: String) throws(UsageError) -> AddressOverride {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, !parts[0].isEmpty, let port = Int(parts[1]), 1...65535 ~= port else {
      throw UsageError(
        "--resolve takes HOST:PORT:ADDRESS, not \(text.debugDescription)",
        hint: "As in --resolve example.com:443:127.0.0.1.")
    }
    var address = parts[2]
    if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
    guard isAddress(address) else {
      throw UsageError("\(parts[2].debugDescription) is no IP address", hint: "--resolve takes no names.")
    }
    return AddressOverride(host: parts[0], port: port, address: address)
  }

  private static func isAddress(_ text: String) -> Bool {
    var room = in6_addr()
    return [AF_INET, AF_INET6].contains { inet_pton($0, text, &room) == 1 }
  }

  /// `host=sha256/BASE64`; without a host it is for every one. curl's `sha256//` may stand there, or nothing.
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
        "--pin takes the SHA-256 of a public key in base64 (44 characters), for a host: \(error)",
        hint: "As in --pin api.example.com=sha256/..., and for the base64: "
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

  /// Returns the path, or nil if there is none; an empty path is an error.
  static func file(_ text: String?, for option: OptionSpec) throws(UsageError) -> String? {
    if text?.isEmpty ?? false { throw UsageError("\(option.name) names no file") }
    return text
  }

  /// `file:password`; a backslash takes the meaning from a colon, and from another backslash.
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

  /// The path in `@FILE`. A password itself would be in the list of processes.
  static func passwordFile(_ text: String?) throws(UsageError) -> String? {
    guard let text else { return nil }
    guard text.utf8.first == UInt8(ascii: "@"), text.utf8.count > 1 else {
      throw UsageError(
        "--key-password takes @FILE, a file with the password in it",
        hint: "The list of processes would show the password itself.")
    }
    return String(text.dropFirst())
  }

  static func userAndPassword(_ text: String) throws(UsageError) -> (String, String) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
      throw UsageError(
        "--proxy-user takes USER:PASSWORD, and there is no colon behind a user in what was given")
    }
    return (String(text[..<colon]), String(text[text.index(after: colon)...]))
  }

  static func proxy(_ text: String) throws(UsageError) -> String {
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    let scheme = text.firstRange(of: "://").map { ASCII.lowercased(String(text[..<$0.lowerBound])) }
    if text != "none", text.isEmpty || !(scheme.map(schemes.contains) ?? true) {
      throw UsageError(
        "--proxy takes a URL, not \(text.quotedWithoutSecrets)",
        hint: "As in http://proxy:3128 or socks5://localhost:1080; none uses no proxy.")
    }
    return text
  }
}

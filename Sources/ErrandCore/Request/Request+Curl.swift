#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Returns a command for a POSIX shell that sends the request with curl. Each secret is replaced by `***`.
  ///
  /// The command contains the body if it is text in memory, has at most 64 KiB, and no name in its form or
  /// object marks a secret. Otherwise curl reads the body from a file named `BODY`, which you provide.
  public func curlCommand() -> String { curlCommand(hiding: .standard) }

  package func curlCommand(hiding secrets: Secrets) -> String {
    var words = ["curl"]
    if method == .head {
      words.append("--head")
    } else if method != .get || !body.isNone {
      words += ["-X", method.rawValue]
    }
    words.append(urlText(hiding: secrets))
    for field in wireFields.masked(hiding: secrets) {
      // Without a value, curl sends the field only if a semicolon follows its name.
      words += ["-H", field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"]
    }
    if !body.isNone { words += ["--data-binary", shownBody(hiding: secrets) ?? "@BODY"] }
    if options.httpVersion == .http2 { words.append("--http2") }
    if let timeout = options.connectTimeout { words += ["--connect-timeout", "\(timeout.seconds)"] }
    if (options.redirects ?? RedirectPolicy()).limit > 0 { words.append("--location") }
    return words.map(Self.quoted).joined(separator: " ")
  }

  /// The body as text; nil if it is long, not text, or may contain a secret.
  private func shownBody(hiding secrets: Secrets) -> String? {
    guard case .bytes(let data) = body.encoded().content, data.count <= 64 << 10,
      options.bodyCoding == nil, !options.compressesBody,
      let text = String(validating: data, as: UTF8.self), !text.utf8.contains(0), !text.hasPrefix("@"),
      !secrets.mayHide(inBody: text)
    else { return nil }
    return text
  }

  private static func quoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_./:@,+=%".utf8.contains(byte)
      }
    }
    return plain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}

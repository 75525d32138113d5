#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Returns a command for a POSIX shell that sends the request with curl, with `***` in the place of each secret.
  ///
  /// A body in memory is in it if it is text without secrets, of at most 64 KiB; any other body, and one that a
  /// form's or an object's secret name shows to hold a secret, is left to a file named `BODY`.
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
      // curl sends a field without a value only if a semicolon ends its name.
      words += ["-H", field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"]
    }
    if !body.isNone { words += ["--data-binary", shownBody(hiding: secrets) ?? "@BODY"] }
    if options.httpVersion == .http2 { words.append("--http2") }
    if let timeout = options.connectTimeout { words += ["--connect-timeout", "\(timeout.seconds)"] }
    if (options.redirects ?? RedirectPolicy()).limit > 0 { words.append("--location") }
    return words.map(Self.quoted).joined(separator: " ")
  }

  /// The body as text, if it is short and shows no secret.
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

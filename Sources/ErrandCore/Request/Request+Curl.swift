#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Returns a command for a POSIX shell that sends the request with curl. Each secret is replaced by `***`.
  ///
  /// The command contains the body if it is text in memory, has at most 64 KiB, and no name in its form or
  /// object marks a secret, and it has no control characters but tabs and line breaks. A body from a file is named by its path. Otherwise curl reads the body from a file
  /// named `BODY`, which you provide.
  public func curlCommand() -> String { curlCommand(hiding: .standard) }

  package func curlCommand(hiding secrets: Secrets) -> String {
    Self.shellLine(curlWords(hiding: secrets))
  }

  /// The words of the command, unquoted.
  package func curlWords(hiding secrets: Secrets = .standard) -> [String] {
    var words = ["curl"]
    if method == .head {
      words.append("--head")
    } else if method != .post, method != .get || !body.isNone {
      // The data's own option means POST. With -X, curl would also send POST after a redirect that asks for GET.
      words += ["-X", method.rawValue]
    }
    let url = urlText(hiding: secrets)
    words.append(url)
    // Otherwise curl removes `.` and `..` from the path, and takes brackets and braces for a pattern.
    if url.contains("/.") { words.append("--path-as-is") }
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    let form = formWords(hiding: secrets)
    for field in wireFields.masked(hiding: secrets) {
      // curl names a form's type itself, with its boundary.
      if form != nil, ASCII.equalIgnoringCase(field.name, "Content-Type") { continue }
      // Without a value, curl sends the field only if a semicolon follows its name.
      words += ["-H", field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"]
    }
    let hasBody = !body.isNone || [.post, .put, .patch].contains(method)
    // curl would ask before it sends more than 1 MiB.
    if hasBody, (body.length ?? .max) > 1 << 20 { words += ["-H", "Expect:"] }
    if let form {
      words += form
    } else if hasBody {
      // curl would name the type of a URL-encoded form.
      if !wireFields.contains("Content-Type") { words += ["-H", "Content-Type:"] }
      if let text = shownText(hiding: secrets) {
        // An @ of the text's own does not name a file.
        words += [text.hasPrefix("@") ? "--data-raw" : "--data-binary", text]
      } else {
        words += ["--data-binary", "@\(bodyFile ?? "BODY")"]
      }
    }
    if options.httpVersion == .http2 { words.append(isSecure ? "--http2" : "--http2-prior-knowledge") }
    if options.httpVersion == .http1 { words.append("--http1.1") }
    if let timeout = options.connectTimeout { words += ["--connect-timeout", "\(timeout.seconds)"] }
    if (options.redirects ?? RedirectPolicy()).limit > 0 {
      words.append("--location")
      // Otherwise curl would send another method than POST again without its body.
      if method != .post, !body.isNone { words += ["--post301", "--post302"] }
    }
    return words
  }

  /// Returns the words as a line for a POSIX shell. Control characters in names and URLs, which are never valid there,
  /// are shown as `?`.
  package static func shellLine(_ words: [String]) -> String {
    words.map { word in
      quoted(isPrintable(word) ? word : String(String.UnicodeScalarView(word.unicodeScalars.map(shown))))
    }.joined(separator: " ")
  }

  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    isPrintable(String(scalar)) ? scalar : "?"
  }

  /// The words for a multipart form; nil for any other body, and for a form that cannot be shown.
  private func formWords(hiding secrets: Secrets) -> [String]? {
    guard case .multipart(let form) = body.content, options.bodyCoding == nil, !options.compressesBody else {
      return nil
    }
    var words: [String] = []
    for part in form.parts {
      var word: String
      switch part.content {
      case .file(let path): word = "\(part.name)=@\(Self.formQuoted(path))"
      case .bytes(let data):
        guard data.count <= 64 << 10, let text = String(validating: data, as: UTF8.self),
          Self.isPrintable(text), !secrets.isSecret(item: Array(part.name.utf8))
        else { return nil }
        if part.contentType == nil, part.fileName == nil {
          words += ["--form-string", "\(part.name)=\(text)"]
          continue
        }
        word = "\(part.name)=\(Self.formQuoted(text))"
      }
      if let type = part.contentType { word += ";type=\(type)" }
      if let name = part.fileName { word += ";filename=\(Self.formQuoted(name))" }
      words += ["-F", word]
    }
    return words
  }

  /// Returns a text as the options for forms take it.
  private static func formQuoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  private var isSecure: Bool { ASCII.lowercased(urlText(hiding: .standard)).hasPrefix("https:") }

  /// The path of the file that is sent as it is; nil for any other body.
  private var bodyFile: String? {
    guard case .file(let path) = body.layout, options.bodyCoding == nil, !options.compressesBody else {
      return nil
    }
    return path
  }

  /// The body as text; nil if it is long, not text, or may contain a secret.
  private func shownText(hiding secrets: Secrets) -> String? {
    if body.isNone { return "" }
    guard case .bytes(let data) = body.encoded().content, data.count <= 64 << 10,
      options.bodyCoding == nil, !options.compressesBody,
      let text = String(validating: data, as: UTF8.self), Self.isPrintable(text),
      !secrets.mayHide(inBody: text)
    else { return nil }
    return text
  }

  /// Returns false for a text with control characters other than tabs and line breaks. Pasted into a terminal, some of
  /// them end the line, and the shell would run what follows.
  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\t" || $0 == "\n" || $0.properties.generalCategory != .control }
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

/// Functions on media types (RFC 6838).
package enum MediaType {
  /// Returns the media type for a file name's extension; `application/octet-stream` if the extension is
  /// unknown.
  static func ofFile(named name: String) -> String {
    let last = name.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return "application/octet-stream" }
    return byExtension[ASCII.lowercased(String(last[last.index(after: dot)...]))]
      ?? "application/octet-stream"
  }

  /// Returns true if `type`, without its parameters, matches `pattern`, which may be `*/*` or have a
  /// wildcard, as in `image/*`.
  package static func matches(_ type: String, _ pattern: String) -> Bool {
    if pattern == "*/*" || ASCII.equalIgnoringCase(type, pattern) { return true }
    let bare = bare(type)
    guard pattern.hasSuffix("/*") else { return isSame(bare, pattern.utf8[...]) }
    let family = pattern.utf8.dropLast()
    return isSame(bare.prefix(family.count), family)
  }

  /// Returns the value of a parameter (RFC 9110, section 5.6.6); the first if there are several, nil if it is
  /// missing.
  static func parameter(_ name: String, of type: String) -> String? {
    var rest = Array(type.utf8).drop { $0 != UInt8(ascii: ";") }
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
    while let semicolon = rest.first, semicolon == UInt8(ascii: ";") {
      rest = rest.dropFirst().drop(while: isSpace)
      let key = rest.prefix { ASCII.isTokenByte($0) }
      rest = rest.dropFirst(key.count)
      var value: [UInt8] = []
      if rest.first == UInt8(ascii: "=") {
        rest = rest.dropFirst()
        if rest.first == UInt8(ascii: "\"") {
          rest = rest.dropFirst()
          while let byte = rest.first, byte != UInt8(ascii: "\"") {
            rest = rest.dropFirst()
            // A backslash escapes the next byte.
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
              value.append(escaped)
            } else {
              value.append(byte)
            }
          }
        } else {
          value = Array(rest.prefix { $0 != UInt8(ascii: ";") })
        }
      }
      if ASCII.equalIgnoringCase(String(decoding: key, as: UTF8.self), name) {
        return ASCII.trimmed(String(decoding: value, as: UTF8.self))
      }
      rest = rest.drop { $0 != UInt8(ascii: ";") }
    }
    return nil
  }

  /// Returns the type without its parameters, and without surrounding spaces and tabs.
  private static func bare(_ type: String) -> Substring.UTF8View {
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
    var bare = type.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
    while let last = bare.last, isSpace(last) { bare.removeLast() }
    return bare
  }

  private static func isSame(_ left: Substring.UTF8View, _ right: Substring.UTF8View) -> Bool {
    left.elementsEqual(right) { ASCII.lowered($0) == ASCII.lowered($1) }
  }

  private static let byExtension = [
    "avif": "image/avif", "bin": "application/octet-stream", "bmp": "image/bmp", "css": "text/css",
    "csv": "text/csv", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic",
    "htm": "text/html", "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript", "json": "application/json", "log": "text/plain", "m4a": "audio/mp4",
    "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tar": "application/x-tar",
    "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
    "xml": "application/xml", "zip": "application/zip",
  ]
}

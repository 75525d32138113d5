/// Names of media types (RFC 6838).
enum MediaType {
  /// The type that a file's extension stands for, or `application/octet-stream`.
  static func ofFile(named name: String) -> String {
    let last = name.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return "application/octet-stream" }
    return byExtension[ASCII.lowercased(String(last[last.index(after: dot)...]))]
      ?? "application/octet-stream"
  }

  /// True if `type` (with or without parameters) is `pattern`, where `image/*` and `*/*` stand for many.
  static func matches(_ type: String, _ pattern: String) -> Bool {
    let bare = ASCII.trimmed(type.prefix { $0 != ";" })
    if pattern == "*/*" { return true }
    if pattern.hasSuffix("/*") {
      let family = pattern.dropLast()
      return ASCII.equalIgnoringCase(String(bare.prefix(family.count)), String(family))
    }
    return ASCII.equalIgnoringCase(bare, pattern)
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

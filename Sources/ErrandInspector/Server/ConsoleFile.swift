#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of the console, which the package manager embeds in the program. A build without the inspector does not
/// refer to the files, so that an optimized program does not contain them.
struct ConsoleFile: Sendable {
  let name: String
  let content: Data

  /// Returns nil if the console has no such file.
  /// - Parameter path: The path below the token; empty for the page itself.
  init?(path: some StringProtocol) {
    let name = path.isEmpty ? "console.html" : String(path)
    guard let bytes = Self.bytes(of: name) else { return nil }
    self.name = name
    content = Data(bytes)
  }

  /// The value of `Content-Type`.
  var type: String {
    if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
    return name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
  }

  #if ERRAND_INSPECTOR
    private static func bytes(of name: String) -> [UInt8]? {
      switch name {
      case "console.html": PackageResources.console_html
      case "console.css": PackageResources.console_css
      case "console.js": PackageResources.console_js
      default: nil
      }
    }
  #else
    private static func bytes(of name: String) -> [UInt8]? { nil }
  #endif
}

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
      case "body.js": PackageResources.body_js
      case "calls.js": PackageResources.calls_js
      case "connection.js": PackageResources.connection_js
      case "console.js": PackageResources.console_js
      case "details.js": PackageResources.details_js
      case "dom.js": PackageResources.dom_js
      case "filter.js": PackageResources.filter_js
      case "format.js": PackageResources.format_js
      case "hex.js": PackageResources.hex_js
      case "json.js": PackageResources.json_js
      case "lists.js": PackageResources.lists_js
      case "model.js": PackageResources.model_js
      case "order.js": PackageResources.order_js
      case "outbox.js": PackageResources.outbox_js
      case "rows.js": PackageResources.rows_js
      case "saving.js": PackageResources.saving_js
      case "waterfall.js": PackageResources.waterfall_js
      default: nil
      }
    }
  #else
    private static func bytes(of name: String) -> [UInt8]? { nil }
  #endif
}

import ErrandCore

extension Request {
  /// The path and the query, as they are in the request's first line; nil if the URL is not absolute.
  var target: String? {
    guard url != nil else { return nil }
    let afterScheme = urlText.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "/") }
    let target = afterScheme.dropFirst(2).drop { !"/?".utf8.contains($0) }
    return (target.first == UInt8(ascii: "/") ? "" : "/") + String(decoding: target, as: UTF8.self)
  }

  /// A hash of the method, and of the URL without its query: servers decide by these whether a user may have
  /// a response.
  var resource: Int {
    var hasher = Hasher()
    hasher.combine(method)
    for byte in urlText.utf8.prefix(while: { !"?#".utf8.contains($0) }) { hasher.combine(byte) }
    return hasher.finalize()
  }
}

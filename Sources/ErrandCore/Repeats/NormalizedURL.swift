/// A URL in a normal form (RFC 3986, section 6.2.2 and 6.2.3): scheme and host in lower case, no default
/// port, no fragment, `/` for an empty path, percent-encoding in one form, and the items of the query in the
/// order of their names.
///
/// In doubt two URLs stay different: `%2F` is not `/`, `+` is not `%20`, `a` is not `a=`, and the values of
/// one name keep their order, because servers read lists from them.
struct NormalizedURL: Sendable, Hashable {
  /// ASCII only, so that equal text is equal bytes.
  let text: String

  init(_ url: String) {
    if NormalizedURLWriter.leavesAsIs(url) {
      text = url
      return
    }
    var writer = NormalizedURLWriter(url)
    writer.write()
    text = String(decoding: writer.output, as: UTF8.self)
  }
}

extension NormalizedURL: CustomStringConvertible {
  /// The URL without user, password and query.
  var description: String {
    let shown = Secrets.standard.redact(text)
    guard let mark = shown.firstIndex(of: "?") else { return shown }
    return shown[..<mark] + "?…"
  }
}

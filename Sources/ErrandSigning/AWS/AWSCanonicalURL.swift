import ErrandCore

/// The form in which paths and queries are signed.
enum AWSCanonicalURL {
  /// Returns the path without dot segments and empty segments, encoded a second time: the form for all
  /// services but S3.
  /// - Parameter path: As it is on the wire.
  static func path(normalizing path: String) -> String {
    var kept: [Substring.UTF8View] = []
    for segment in path.utf8.split(separator: UInt8(ascii: "/")) where !segment.elementsEqual(".".utf8) {
      if segment.elementsEqual("..".utf8) { _ = kept.popLast() } else { kept.append(segment) }
    }
    guard !kept.isEmpty else { return "/" }
    let last = path.utf8.last == UInt8(ascii: "/") ? "/" : ""
    return "/" + kept.map(encoded).joined(separator: "/") + last
  }

  /// Returns the path decoded and encoded once: the form for S3, where `a//b` and `a/../b` are names of
  /// objects.
  /// - Parameter path: As it is on the wire.
  static func path(keeping path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { encoded(URLBytes.decoded(Substring($0)), keepingSlashes: true) }.joined(separator: "/")
  }

  /// Returns the items of a query in the order of their encoded names and values.
  /// - Parameter query: As it is on the wire. A plus sign means a space, as in a form.
  static func query(_ query: String) -> String {
    query.utf8.split(separator: UInt8(ascii: "&")).map(Item.init).sorted()
      .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// An item of a query, encoded.
  private struct Item: Comparable {
    let name: String
    let value: String

    init(_ text: Substring.UTF8View) {
      let name = text.prefix { $0 != UInt8(ascii: "=") }
      self.name = Self.part(name)
      value = Self.part(text[name.endIndex...].dropFirst())
    }

    static func < (left: Item, right: Item) -> Bool {
      left.name == right.name
        ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
        : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }

    private static func part(_ text: Substring.UTF8View) -> String {
      // A plus sign means a space, but an encoded one does not: so replace first, then decode.
      let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      return encoded(URLBytes.decoded(String(decoding: spaced, as: UTF8.self)))
    }
  }

  /// Returns the bytes with all but RFC 3986's unreserved characters percent-encoded.
  static func encoded(_ bytes: some Sequence<UInt8>) -> String { encoded(bytes, keepingSlashes: false) }

  private static func encoded(_ bytes: some Sequence<UInt8>, keepingSlashes: Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      switch byte {
      case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: text.append(byte)
      case 0x2F where keepingSlashes: text.append(byte)
      default: text += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

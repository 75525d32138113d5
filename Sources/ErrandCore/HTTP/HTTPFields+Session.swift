extension HTTPFields {
  /// Makes fields from those of a URLSession response, which loses their order and joins those of the same
  /// name. They are sorted by name.
  package init(ofSession joined: [AnyHashable: Any]) {
    self.init()
    let lines = joined.compactMap { name, value in (name as? String).map { ($0, String(describing: value)) } }
    for (name, value) in lines.sorted(by: { $0.0 < $1.0 }) {
      let isJoined = ASCII.lowercased(name) == "set-cookie"
      for value in isJoined ? Self.setCookies(joined: value) : [value] { append(name, value) }
    }
  }

  /// Separates `Set-Cookie` fields that URLSession has joined with commas. A comma begins another cookie if a
  /// name and `=` follow it; the comma in a date (`Expires=Wed, 21 Oct 2015`) does not. So a value that
  /// contains `, name=` is cut there, and a cookie without a name is not found after a comma.
  static func setCookies(joined: String) -> [String] {
    let bytes = Array(joined.utf8)
    var lines: [String] = []
    var start = 0
    for comma in bytes.indices where bytes[comma] == UInt8(ascii: ",") && beginsCookie(bytes[(comma + 1)...])
    {
      lines.append(String(decoding: bytes[start..<comma], as: UTF8.self))
      start = comma + 1
    }
    lines.append(String(decoding: bytes[start...], as: UTF8.self))
    return lines
  }

  /// Returns true if the bytes begin with a token and `=`, with any number of spaces around the token.
  private static func beginsCookie(_ bytes: ArraySlice<UInt8>) -> Bool {
    let name = bytes.drop { $0 == 32 || $0 == 9 }
    let rest = name.drop { ASCII.isTokenByte($0) }
    return rest.startIndex > name.startIndex
      && rest.drop { $0 == 32 || $0 == 9 }.first == UInt8(ascii: "=")
  }
}

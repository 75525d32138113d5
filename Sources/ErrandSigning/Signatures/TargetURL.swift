/// The parts of a request's URL as a server sees them: RFC 9421, sections 2.2.2 to 2.2.8.
struct TargetURL {
  let scheme: ArraySlice<UInt8>
  /// The host in lower case, and the port if it is not the scheme's own.
  let authority: [UInt8]
  /// Not empty.
  let path: ArraySlice<UInt8>
  /// The query without its `?`; nil if there is none.
  let query: ArraySlice<UInt8>?

  /// - Parameter host: The value of `Host`, which overrides the URL's.
  /// - Returns: Nil if the URL is not a whole one.
  init?(_ url: String, host: String?) {
    let bytes = Array(url.utf8)
    guard let colon = bytes.firstIndex(of: FieldByte.colon), colon > 0, bytes.count > colon + 3,
      bytes[colon + 1] == Self.slash, bytes[colon + 2] == Self.slash
    else { return nil }
    let start = colon + 3
    var (pathStart, queryStart, end) = (bytes.endIndex, Int?.none, bytes.endIndex)
    scan: for index in start..<bytes.endIndex {
      switch bytes[index] {
      case Self.slash where pathStart == bytes.endIndex: pathStart = index
      case FieldByte.question where queryStart == nil:
        queryStart = index
        pathStart = min(pathStart, index)
      case UInt8(ascii: "#"):
        end = index
        break scan
      default: continue
      }
    }
    pathStart = min(pathStart, end)
    scheme = Self.lowered(bytes[..<colon])
    if let host {
      authority = Self.authority(Array(host.utf8)[...], scheme)
    } else {
      let written = bytes[start..<pathStart]
      let user = written.lastIndex(of: FieldByte.at).map { $0 + 1 } ?? start
      authority = Self.authority(written[user...], scheme)
    }
    let path = bytes[pathStart..<(queryStart ?? end)]
    self.path = path.isEmpty ? [Self.slash] : path
    query = queryStart.map { bytes[($0 + 1)..<end] }
    guard !authority.isEmpty else { return nil }
  }

  private static let slash = UInt8(ascii: "/")

  private static func lowered(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.allSatisfy(FieldByte.isLowercase) ? bytes : bytes.map(FieldByte.lowered)[...]
  }

  private static func authority(_ bytes: ArraySlice<UInt8>, _ scheme: ArraySlice<UInt8>) -> [UInt8] {
    var bytes = bytes
    let digits = bytes.reversed().prefix(while: FieldByte.isDigit).count
    if digits < bytes.count, bytes[bytes.endIndex - digits - 1] == FieldByte.colon {
      let port = bytes.suffix(digits)
      if port.isEmpty || isOwn(port, scheme) { bytes = bytes.dropLast(digits + 1) }
    }
    return bytes.map(FieldByte.lowered)
  }

  /// Returns true for the port that the scheme has if none is named.
  private static func isOwn(_ port: ArraySlice<UInt8>, _ scheme: ArraySlice<UInt8>) -> Bool {
    let port = port.drop { $0 == UInt8(ascii: "0") }
    return scheme.elementsEqual("https".utf8)
      ? port.elementsEqual("443".utf8) : scheme.elementsEqual("http".utf8) && port.elementsEqual("80".utf8)
  }
}

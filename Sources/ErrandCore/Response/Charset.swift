#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The charset of a text, and its decoding by WHATWG's Encoding standard: a byte order mark overrides the
/// label of `Content-Type`, and ISO-8859-1 is windows-1252. Invalid bytes become U+FFFD.
enum Charset: Sendable, Equatable {
  case utf8
  case utf16LittleEndian
  case utf16BigEndian
  case windows1252
  /// A charset of the C library, with the names that it may have there.
  case named([String])

  /// Returns a text without its byte order mark.
  /// - Parameter type: The value of `Content-Type`. A text is UTF-8 if it has no charset, or one that the C
  ///   library does not know.
  static func text(of data: Data, type: String?) -> String {
    let (marked, length) = mark(of: data)
    let charset =
      marked ?? type.flatMap { MediaType.parameter("charset", of: $0) }.flatMap(Charset.init) ?? .utf8
    return charset.text(of: data.dropFirst(length)) ?? String(decoding: data.dropFirst(length), as: UTF8.self)
  }

  /// Returns a text, or nil if the bytes are not a text in their charset. UTF-8 keeps its byte order mark.
  /// - Parameters:
  ///   - isText: True if the type of the content is that of a text, so that a byte order mark is one.
  ///   - isCut: True if the bytes may end in the middle of a character.
  static func validText(of data: Data, type: String, isText: Bool, isCut: Bool) -> String? {
    let (marked, length) = isText ? mark(of: data) : (nil, 0)
    let charset = marked ?? MediaType.parameter("charset", of: type).flatMap(Charset.init) ?? .utf8
    guard charset != .utf8, var text = charset.text(of: data.dropFirst(length)) else {
      return (0...(isCut ? 3 : 0)).lazy
        .compactMap { String(validating: data.dropLast($0), as: UTF8.self) }.first
    }
    if isCut { while text.unicodeScalars.last == "\u{FFFD}" { text.unicodeScalars.removeLast() } }
    return text.unicodeScalars.contains("\u{FFFD}") ? nil : text
  }

  /// Returns the charset that a byte order mark names, and the length of the mark.
  private static func mark(of data: Data) -> (Charset?, length: Int) {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
    if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    return (nil, 0)
  }

  /// Creates the charset of a label.
  /// - Returns: Nil for a label that must not be passed to the C library.
  init?(_ label: String) {
    let label = ASCII.lowercased(ASCII.trimmed(label))
    if let known = Self.known[label] {
      self = known
      return
    }
    // These depend on the locale, or on this machine.
    guard !label.isEmpty, !["char", "wchar_t", "internal"].contains(label), label.utf8.count <= 64,
      label.utf8.allSatisfy({ 48...57 ~= $0 || 97...122 ~= $0 || "-_.:".utf8.contains($0) })
    else { return nil }
    self = .named([label])
  }

  /// Returns the text, or nil if the C library does not know the charset.
  private func text(of bytes: Data) -> String? {
    switch self {
    case .utf8: String(decoding: bytes, as: UTF8.self)
    case .utf16LittleEndian: Self.utf16(bytes) { UInt16($0) | UInt16($1) << 8 }
    case .utf16BigEndian: Self.utf16(bytes) { UInt16($0) << 8 | UInt16($1) }
    case .windows1252: Self.windows1252(bytes)
    case .named(let names):
      names.lazy.compactMap { CharsetConversion($0) }.first.map { conversion in
        let isWindows = names[0].hasPrefix("CP125") || names[0] == "CP874"
        return conversion.text(of: bytes) { byte in
          // In bytes without a letter, Windows and WHATWG have control characters.
          if isWindows, 0x80..<0xA0 ~= byte { return Unicode.Scalar(byte) }
          return names[0] == "GB18030" && byte == 0x80 ? "\u{20AC}" : "\u{FFFD}"
        }
      }
    }
  }

  private static func utf16(_ bytes: Data, _ unit: (UInt8, UInt8) -> UInt16) -> String {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2 + 1)
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      units.append(unit(bytes[index], bytes[index + 1]))
      index += 2
    }
    if index < bytes.endIndex { units.append(0xFFFD) }
    return String(decoding: units, as: UTF16.self)
  }

  private static func windows1252(_ bytes: Data) -> String {
    var text = ""
    text.reserveCapacity(bytes.count)
    for byte in bytes {
      let scalar = 0x80..<0xA0 ~= byte ? Unicode.Scalar(upper1252[Int(byte) - 0x80]) : Unicode.Scalar(byte)
      text.unicodeScalars.append(scalar ?? "\u{FFFD}")
    }
    return text
  }

  /// The code points of the bytes from 0x80 to 0x9F.
  private static let upper1252: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
    0x8D,
    0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
    0x203A,
    0x0153, 0x9D, 0x017E, 0x0178,
  ]

  /// WHATWG's labels that the C library knows by another name, or interprets differently.
  private static let known: [String: Charset] = {
    var known: [String: Charset] = [:]
    func add(_ charset: Charset, _ labels: String) {
      for label in labels.split(separator: " ") { known[String(label)] = charset }
    }
    add(.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8")
    add(.utf16LittleEndian, "utf-16 utf-16le utf16 unicode ucs-2 iso-10646-ucs-2 csunicode unicodefeff")
    add(.utf16BigEndian, "utf-16be unicodefffe")
    add(
      .windows1252,
      "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 iso88591 iso-ir-100 latin1 l1 ascii us-ascii "
        + "ansi_x3.4-1968 cp819 ibm819 csisolatin1")
    for number in [1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258] {
      add(.named(["CP\(number)"]), "windows-\(number) cp\(number) x-cp\(number)")
    }
    add(.named(["CP1254"]), "iso-8859-9 iso8859-9 iso_8859-9 iso-ir-148 latin5 l5 csisolatin5")
    add(.named(["CP874"]), "windows-874 iso-8859-11 iso8859-11 tis-620 dos-874")
    add(
      .named(["CP932", "SHIFT_JIS"]), "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis")
    add(.named(["EUC-JP-MS", "EUC-JP"]), "euc-jp x-euc-jp cseucpkdfmtjapanese")
    add(
      .named(["GB18030"]),
      "gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 iso-ir-58 csiso58gb231280")
    add(.named(["BIG5-HKSCS", "BIG5"]), "big5 big5-hkscs cn-big5 x-x-big5 csbig5")
    add(
      .named(["CP949", "UHC", "EUC-KR"]),
      "euc-kr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 iso-ir-149 cseuckr")
    add(.named(["ISO-8859-8"]), "iso-8859-8-i logical iso-8859-8-e visual")
    add(.named(["KOI8-R"]), "koi8-r koi8 koi cskoi8r")
    add(.named(["KOI8-U"]), "koi8-u koi8-ru")
    add(.named(["MACINTOSH"]), "macintosh mac x-mac-roman csmacintosh")
    add(.named(["MAC-CYRILLIC"]), "x-mac-cyrillic x-mac-ukrainian")
    return known
  }()
}

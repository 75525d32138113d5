import ErrandTesting
import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct CharsetTests {
  private func text(_ bytes: [UInt8], _ type: String?) -> String {
    var fields = HTTPFields()
    fields["Content-Type"] = type
    return Response(status: 200, fields: fields, data: Data(bytes), url: URL(string: "http://a.test/")!).text
  }

  @Test(
    arguments: [
      (
        "windows-1250",
        [0x8E, 0x6C, 0x75, 0x9D, 0x6F, 0x75, 0xE8, 0x6B, 0xFD, 0x20, 0x6B, 0xF9, 0xF2, 0x20, 0x80],
        "Žluťoučký kůň €"
      ),
      ("windows-1251", [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x20, 0xB9, 0x20, 0x88], "Привет № €"),
      ("windows-1253", [0xC3, 0xE5, 0xE9, 0xDC, 0x20, 0x80], "Γειά €"),
      (
        "windows-1254", [0xDD, 0x73, 0x74, 0x61, 0x6E, 0x62, 0x75, 0x6C, 0x20, 0xF0, 0x20, 0x80],
        "İstanbul ğ €"
      ),
      ("windows-1255", [0xF9, 0xEC, 0xE5, 0xED, 0x20, 0xA4], "שלום ₪"),
      ("windows-1256", [0xE3, 0xD1, 0xCD, 0xC8, 0xC7, 0x20, 0x80], "مرحبا €"),
      ("windows-1257", [0xC0, 0xFE, 0x75, 0x6F, 0x6C, 0x61, 0x73, 0x20, 0x80], "Ąžuolas €"),
      ("koi8-r", [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
      ("koi8-u", [0xEB, 0xC9, 0xA7, 0xD7, 0x20, 0xBD], "Київ Ґ"),
      ("iso-8859-2", [0xAE, 0x6C, 0x75, 0xBB], "Žluť"),
      ("iso-8859-15", [0xA4, 0x20, 0xBD, 0x75, 0x76, 0x72, 0x65], "€ œuvre"),
      ("ibm866", [0x8F, 0xE0, 0xA8, 0xA2, 0xA5, 0xE2], "Привет"),
      ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA, 0x20, 0x81, 0x60, 0x87, 0x40], "日本語 ～①"),
      ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC], "日本語"),
      ("GBK", [0xBA, 0xBA, 0xD7, 0xD6], "汉字"),
      ("gb2312", [0xBA, 0xBA, 0xD7, 0xD6], "汉字"),
      ("GB18030", [0xBA, 0xBA, 0xD7, 0xD6, 0x20, 0x94, 0x39, 0xFC, 0x36], "汉字 😀"),
      ("Big5", [0xBA, 0x7E, 0xA6, 0x72], "漢字"),
      ("EUC-KR", [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE, 0x20, 0x94, 0xEE], "한국어 뷁"),
      ("ISO-2022-JP", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x38, 0x6C, 0x1B, 0x28, 0x42], "日本語"),
      ("x-sjis", [0xB1, 0xB2, 0xB3], "ｱｲｳ"),
      ("ks_c_5601-1987", [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE], "한국어"),
    ] as [(String, [UInt8], String)])
  func `a text is decoded by the charset of its type`(label: String, bytes: [UInt8], expected: String) {
    #expect(text(bytes, "text/html; charset=\(label)") == expected)
    #expect(text(bytes, "text/html;x=y ; Charset=\"\(label.uppercased())\"") == expected)
  }

  @Test(arguments: ["iso-8859-1", "ISO-8859-1", "latin1", "windows-1252", "us-ascii"])
  func `Latin-1 is decoded as windows-1252`(label: String) {
    let bytes: [UInt8] = [0x47, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0x80, 0x93, 0x94, 0x81, 0xFF]
    #expect(
      text(bytes, "text/plain; charset=\(label)") == "Gr\u{FC}\u{DF}e \u{20AC}\u{201C}\u{201D}\u{81}\u{FF}")
  }

  @Test(
    arguments: [
      ("utf-16", [0x47, 0x00, 0xFC, 0x00, 0x3D, 0xD8, 0x00, 0xDE]),
      ("UTF-16LE", [0x47, 0, 0xFC, 0, 0x3D, 0xD8, 0, 0xDE]),
      ("utf-16be", [0x00, 0x47, 0x00, 0xFC, 0xD8, 0x3D, 0xDE, 0x00]),
    ] as [(String, [UInt8])])
  func `UTF-16 may have either byte order, and is little-endian by default`(label: String, bytes: [UInt8]) {
    #expect(text(bytes, "text/plain; charset=\(label)") == "G\u{FC}\u{1F600}")
    #expect(text(bytes.dropLast() + [], "text/plain; charset=\(label)").unicodeScalars.last == "\u{FFFD}")
    // Half of a surrogate pair.
    #expect(text(Array(bytes.dropLast(2)), "text/plain; charset=\(label)").unicodeScalars.last == "\u{FFFD}")
  }

  @Test(arguments: [
    nil, "text/plain", "text/plain; charset=utf-8",
    "text/plain; charset=shift_jis", "text/plain; charset=x",
  ])
  func `a byte order mark takes precedence over the type, and is removed`(type: String?) {
    #expect(text([0xEF, 0xBB, 0xBF, 0x47, 0xC3, 0xBC], type) == "G\u{FC}")
    #expect(text([0xFF, 0xFE, 0x47, 0x00, 0xFC, 0x00], type) == "G\u{FC}")
    #expect(text([0xFE, 0xFF, 0x00, 0x47, 0x00, 0xFC], type) == "G\u{FC}")
    #expect(text([0xEF, 0xBB, 0xBF], type) == "")
    // Only the first one is a byte order mark.
    #expect(text([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], type).unicodeScalars.map(\.value) == [0xFEFF])
  }

  @Test(arguments: [
    nil, "", "text/plain", "application/json", "text/plain; charset", "text/plain; charset=",
    "text/plain; charset=\"",
    "text/plain; charset=nonsense", "text/plain; charset=WCHAR_T", "text/plain; charset=utf-8//TRANSLIT",
    "text/plain; charset=../../etc/passwd", "text/plain; x=\"; charset=koi8-r\"", ";;;",
  ])
  func `a text without a known charset is decoded as UTF-8`(type: String?) {
    #expect(text([0x47, 0xC3, 0xBC, 0xFF, 0x47], type) == "G\u{FC}\u{FFFD}G")
  }

  @Test(
    arguments: [
      ("shift_jis", [0x41, 0x81, 0x20, 0x42], "A\u{FFFD} B"), ("euc-jp", [0x41, 0xFF, 0x42], "A\u{FFFD}B"),
      ("gbk", [0x80, 0x41, 0x81], "\u{20AC}A\u{FFFD}"), ("big5", [0x41, 0xFF], "A\u{FFFD}"),
      ("windows-1251", [0x98, 0xC0], "\u{98}\u{410}"),
      ("windows-874", [0x81, 0xA1, 0xFF], "\u{81}\u{E01}\u{FFFD}"),
      ("iso-8859-7", [0xE1, 0xFF], "\u{3B1}\u{FFFD}"), ("windows-1258", [0x41], "A"),
      ("windows-1258", [0x61, 0xEC], "a\u{301}"),
    ] as [(String, [UInt8], String)])
  func `invalid bytes are replaced, and decoding continues after them`(
    label: String, bytes: [UInt8], expected: String
  ) {
    let text = text(bytes, "text/plain; charset=\(label)")
    #expect(text == expected)
    #expect(text.unicodeScalars.count == expected.unicodeScalars.count || label == "windows-1258")
  }

  @Test func `a long text is decoded completely`() {
    let bytes = (0..<50_000).flatMap { _ in [0x93, 0xFA, 0x41] as [UInt8] }
    #expect(text(bytes, "text/plain; charset=shift_jis") == String(repeating: "\u{65E5}A", count: 50_000))
    #expect(text([], "text/plain; charset=shift_jis") == "")
  }

  @Test(arguments: 1...20)
  func `any bytes can be decoded`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let labels = [
      "shift_jis", "euc-jp", "gb18030", "gbk", "big5", "euc-kr", "iso-2022-jp", "utf-16", "utf-16be",
      "windows-1255",
      "windows-1258", "utf-7", "utf-32", "iso-8859-8", "koi8-u", "utf-8", "latin1", "hz-gb-2312",
      "iso-2022-kr",
    ]
    for label in labels {
      for _ in 0..<20 {
        let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        let text = text(bytes, "text/plain; charset=\(label)")
        #expect(text.unicodeScalars.count <= 4 * bytes.count)
      }
    }
  }

  @Test(
    arguments: [
      ("text/html; charset=utf-8", "utf-8"), ("text/html;charset=UTF-8;x=y", "UTF-8"),
      ("a/b; charset=\"a\\\"b\"", "a\"b"),
      ("a/b;; charset=x", "x"), ("a/b; charset=x; charset=y", "x"), ("a/b; xcharset=z", nil),
      ("a/b; charset", ""),
      ("charset=x", nil), ("a/b; y=\"charset=z;charset=w\"; charset=x ", "x"),
    ] as [(String, String?)])
  func `a parameter of a media type is found`(type: String, value: String?) {
    #expect(MediaType.parameter("charset", of: type) == value)
  }
}

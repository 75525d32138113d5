import Testing

@testable import ErrandCommands

@Suite struct JSONSyntaxTests {
  /// Returns the fault of a text, however it is split into pieces; nil if it is valid JSON.
  private func fault(_ bytes: [UInt8]) -> JSONSyntax.Fault? {
    func fault(_ pieces: [[UInt8]]) -> JSONSyntax.Fault? {
      var syntax = JSONSyntax()
      do throws(JSONSyntax.Fault) {
        for piece in pieces { try syntax.read(piece) }
        try syntax.finish()
        return nil
      } catch {
        return error
      }
    }
    let whole = fault([bytes])
    #expect(fault(bytes.map { [$0] }) == whole)
    return whole
  }

  private func fault(_ text: String) -> JSONSyntax.Fault? { fault(Array(text.utf8)) }

  @Test(arguments: [
    "{}", "[]", "null", "true", "false", "0", "-0", "-1.50e+10", "1E5", "1e-0", "\"\"", " [ ] \n",
    "{\"\":{}}",
    "[1,[2,{\"a\":[null,true]}],\"x\"]", "{\"a\":1,\"b\":[],\"a\":\"é🚀\"}",
    "\"\\\" \\\\ \\/ \\b\\f\\n\\r\\t \\u00e9 \\uD83D\\uDE80\"", "\t\r\n1\r\n",
  ])
  func `valid JSON has no fault`(_ text: String) {
    #expect(fault(text) == nil)
  }

  @Test(arguments: [
    ("", 1, 1, "a value is missing"), ("  ", 1, 3, "a value is missing"), ("{", 1, 2, "is missing"),
    ("{title: 1}", 1, 2, "a name in double quotes or } is expected, not t"), ("{'a':1}", 1, 2, "not '"),
    ("{\"a\" 1}", 1, 6, "a colon is expected"), ("{\"a\":}", 1, 6, "a value is expected, not }"),
    ("{\"a\":1,}", 1, 8, "a name in double quotes is expected, not }"),
    ("[1,]", 1, 4, "a value is expected, not ]"),
    ("[1 2]", 1, 4, ", or ] is expected"), ("[1}", 1, 3, ", or ]"),
    ("{}\n {}", 2, 2, "the end of the text is expected"),
    ("01", 1, 2, "the end of the text"), ("-", 1, 2, "is missing"), ("1.", 1, 3, "is missing"),
    ("1.e", 1, 3, "cannot continue with e"),
    ("+1", 1, 1, "not +"), (".5", 1, 1, "not ."), ("NaN", 1, 1, "not N"), ("nul", 1, 4, "is missing"),
    ("nulL", 1, 4, "L"),
    ("\"a", 1, 3, "not closed"), ("\"a\nb\"", 1, 3, "0xA"), ("\"\\x\"", 1, 3, "not by x"),
    ("\"\\u12g4\"", 1, 6, "hexadecimal"),
    ("\"é\" x", 1, 5, "not x"), ("[\n  1,\n  x\n]", 3, 3, "not x"), ("\u{FEFF}{}", 1, 1, "0xEF"),
    ("/* */ 1", 1, 1, "not /"),
  ])
  func `a fault is reported at its position`(_ text: String, _ line: Int, _ column: Int, _ problem: String)
    throws
  {
    let found = try #require(fault(text), "\(text)")
    #expect(found.line == line && found.column == column, "\(text): \(found)")
    #expect(found.problem.contains(problem), "\(text): \(found)")
  }

  @Test(arguments: [
    [0xFF], [0xC3, 0x22], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0xF5], [0x80],
  ])
  func `a string that is not valid UTF-8 is a fault`(_ bytes: [UInt8]) {
    #expect(fault([0x22] + bytes + [0x22])?.problem.contains("UTF-8") == true)
  }
}

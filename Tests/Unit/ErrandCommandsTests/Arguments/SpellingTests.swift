import Testing

@testable import ErrandCommands

@Suite struct SpellingTests {
  @Test func `the nearest word is found, if it is similar enough`() {
    #expect(Spelling.nearest(to: "--jsno", in: ["--json", "--form"]) == "--json")
    #expect(Spelling.nearest(to: "gett", in: ["get", "head"]) == "get")
    #expect(Spelling.nearest(to: "fetch", in: ["get", "head", "patch"]) == nil)
  }

  @Test func `a hint names only options that errand has`() {
    let own = Set(OptionSpec.all.flatMap(\.names) + CommandSpec.all.flatMap { $0.options.flatMap(\.names) })
    for (names, hint) in UnknownOption.habits {
      for word in hint.split(whereSeparator: { " ,;:'".contains($0) }) where word.hasPrefix("-") {
        let option = word.hasSuffix(".") ? word.dropLast() : word
        // These are an argument of -d, and an option of mkdir.
        guard option != "-", !hint.contains("mkdir \(option)") else { continue }
        #expect(own.contains(String(option)), "\(names) \(option)")
      }
    }
  }

  @Test(arguments: [
    ("--url", "argument"), ("--range", "Range"), ("--noproxy", "--proxy none"), ("--next", "once"),
    ("--output-dir", "-o FOLDER"), ("--auth", "-u"), ("--pretty", "--raw"), ("--style", "--raw"),
    ("--meta", "time_total"), ("--max-redirects", "--max-redirs"), ("--path-as-is", "segments"),
    ("--http1.0", "--http1.1"), ("--timout", "Did you mean --timeout?"),
  ])
  func `an option of curl or HTTPie has a hint`(option: String, hint: String) {
    let error = #expect(throws: UsageError.self) { try Invocation([option, "http://a"]) }
    #expect(error?.hint?.contains(hint) == true, "\(String(describing: error?.hint))")
  }

  @Test func `two swapped letters count as one mistake`() {
    #expect(Spelling.distance(Array("json"), Array("jsno")) == 1)
    #expect(Spelling.distance(Array(""), Array("abc")) == 3)
    #expect(Spelling.distance(Array("kitten"), Array("sitting")) == 3)
  }
}

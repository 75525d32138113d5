import Testing

@testable import ErrandCommands

@Suite struct ScannedArgumentsTests {
  private func scan(_ arguments: String..., as command: String = "post") throws -> ScannedArguments {
    try ScannedArguments(arguments, for: #require(CommandSpec.named(command)))
  }

  @Test(arguments: [
    ["-H", "A: b", "u"], ["-HA: b", "u"], ["--header", "A: b", "u"], ["--header=A: b", "u"],
    ["u", "-iHA: b"],
    ["-viH", "A: b", "u"], ["-H", "A: b", "--", "u"],
  ])
  func `an option's value may be in any of the usual places`(_ arguments: [String]) throws {
    let scanned = try ScannedArguments(arguments, for: #require(CommandSpec.named("post")))
    #expect(scanned.values(.header) == ["A: b"])
    #expect(scanned.operands == ["u"])
  }

  @Test func `options and operands may be mixed`() throws {
    let scanned = try scan("-i", "u", "-d", "-", "--retry=3")
    #expect(scanned.has(.include))
    #expect(scanned.last(.data) == "-")
    #expect(scanned.last(.retry) == "3")
    #expect(scanned.operands == ["u"])
  }

  @Test func `an argument after two dashes is not an option, and neither is a single dash`() throws {
    #expect(try scan("-i", "--", "-v", "--", "-").operands == ["-v", "--", "-"])
    #expect(try scan("-", "u", as: "upload").operands == ["-", "u"])
  }

  @Test func `the value of an option may look like an option`() throws {
    #expect(try scan("-d", "-v", "--json=--x").values(.data) == ["-v"])
  }

  @Test func `the last value of a repeated option counts`() throws {
    #expect(try scan("--retry", "1", "--retry", "2").last(.retry) == "2")
  }

  @Test func `a missing or superfluous value is refused`() {
    #expect(throws: UsageError("--retry needs a value: --retry 3")) { try scan("--retry") }
    #expect(throws: UsageError("--compress takes no value")) { try scan("--compress=yes") }
  }

  @Test(arguments: [
    ("--jsno", "Did you mean --json?"), ("-X", "For another method: errand -X METHOD URL."),
    ("--resume", "--resume belongs to errand download and errand upload."),
    ("--resum", "Did you mean --resume? It belongs to errand download and errand upload."),
    ("--zebra", "errand help post lists the options."),
  ])
  func `an unknown option is an error with a hint`(_ option: String, _ hint: String) {
    #expect(throws: UsageError("errand post has no option \(option)", hint: hint)) { try scan(option) }
  }
}

import Testing

@testable import ErrandCommands

@Suite struct HelpTextTests {
  @Test(arguments: CommandSpec.all.map(\.name))
  func `each command's help names its options and fits a screen`(_ name: String) throws {
    let text = HelpText.text(.command(name))
    for option in try #require(CommandSpec.named(name)).groups.flatMap(\.options) {
      #expect(text.contains(option.name))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
  }

  @Test func `the overview names every command`() {
    for command in CommandSpec.all { #expect(HelpText.text(.overview).contains("\n  \(command.name)")) }
  }
}

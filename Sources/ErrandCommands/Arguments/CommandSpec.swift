/// One command of the tool: what it takes, and what its help says.
struct CommandSpec: Sendable {
  /// Options that belong together in help.
  struct Group: Sendable {
    let title: String
    let options: [OptionSpec]
  }

  let name: String
  /// What comes after the name, as in `FILE URL`.
  let operands: [String]
  let summary: String
  var notes: [String] = []
  var groups: [Group] = []
  var examples: [String] = []

  var options: [OptionSpec] { groups.flatMap(\.options) + [.help] }

  static func named(_ name: String) -> CommandSpec? { all.first { $0.name == name } }
}

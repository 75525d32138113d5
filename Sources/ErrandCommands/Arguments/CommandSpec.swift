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

  /// Commands that come after this one's name.
  var subcommands: [CommandSpec] = []

  var options: [OptionSpec] { groups.flatMap(\.options) + [.help] }

  /// - Parameter name: That of a subcommand is both, as in `outbox list`.
  static func named(_ name: String) -> CommandSpec? {
    (all + all.flatMap(\.subcommands)).first { $0.name == name }
  }
}

/// One command of the tool: its arguments, and the text of its help.
struct CommandSpec: Sendable {
  /// Options that help shows under one title.
  struct Group: Sendable {
    let title: String
    let options: [OptionSpec]
  }

  let name: String
  /// The operands after the name, as in `FILE URL`.
  let operands: [String]
  let summary: String
  var notes: [String] = []
  var groups: [Group] = []
  var examples: [String] = []

  /// The commands that may follow this one's name.
  var subcommands: [CommandSpec] = []

  var options: [OptionSpec] { groups.flatMap(\.options) + [.help] }

  /// - Parameter name: The full name: that of a subcommand includes its parent's, as in `outbox list`.
  static func named(_ name: String) -> CommandSpec? {
    (all + all.flatMap(\.subcommands)).first { $0.name == name }
  }
}

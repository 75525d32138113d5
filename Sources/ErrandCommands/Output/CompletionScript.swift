/// Generates the shell scripts that complete the arguments of `errand`, from the table of commands.
enum CompletionScript {
  static func text(for shell: CompletionShell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The commands and their subcommands, each by its full name.
  private static var commands: [CommandSpec] { CommandSpec.all + CommandSpec.all.flatMap(\.subcommands) }

  private static func names(_ option: OptionSpec) -> [String] {
    [option.long.map { "--\($0)" }, option.short.map { "-\($0)" }].compactMap { $0 }
  }

  /// Returns true for an option whose value is the name of a file or a folder.
  private static func takesFile(_ option: OptionSpec) -> Bool {
    guard let placeholder = option.placeholder else { return false }
    return ["FILE", "FOLDER", ".pem"].contains { placeholder.contains($0) }
  }

  /// The commands that other commands follow.
  private static var parents: [CommandSpec] { CommandSpec.all.filter { !$0.subcommands.isEmpty } }

  // MARK: bash

  private static var bash: String {
    let words = commands.map { command in
      let following = command.subcommands.map { $0.name.dropFirst(command.name.count + 1) }.map(String.init)
      return
        "    '\(command.name)') words='\((following + command.options.flatMap(names)).joined(separator: " "))';;"
    }
    let files = Set(OptionSpec.all.filter(takesFile).flatMap(names)).sorted().joined(separator: "|")
    let values = Set(OptionSpec.all.filter { $0.takesValue && !takesFile($0) }.flatMap(names)).sorted()
    return """
      # Completes the arguments of errand in bash: errand completion bash
      _errand() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          words='\(CommandSpec.all.map(\.name).joined(separator: " "))'
        else
          case $previous in
          \(files)) COMPREPLY=($(compgen -f -- "$current")); return;;
          \(values.joined(separator: "|"))) return;;
          esac
          case $command in \(parents.map(\.name).joined(separator: "|"))) [ "$COMP_CWORD" -gt 2 ] && command="$command ${COMP_WORDS[2]}";; esac
          case $command in
      \(words.joined(separator: "\n"))
          esac
          [ "$command" = help ] && words='\(CommandSpec.all.map(\.name).joined(separator: " ")) exit-codes'
          [ "$command" = completion ] && words='\(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))'
        fi
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        [ ${#COMPREPLY[@]} -eq 0 ] && [ "${current#-}" = "$current" ] && COMPREPLY=($(compgen -f -- "$current"))
      }
      complete -o filenames -F _errand errand

      """
  }

  // MARK: zsh

  private static var zsh: String {
    func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''").replacing(":", with: "\\:") }
    func list(_ commands: [CommandSpec], after prefix: String) -> String {
      commands.map { "'\($0.name.dropFirst(prefix.count)):\(quoted($0.summary))'" }.joined(separator: " ")
    }
    let options = commands.filter { $0.subcommands.isEmpty }.map { command in
      let lines = command.options.flatMap { option in
        names(option).map { name in
          let help = quoted(option.help).replacing("[", with: "\\[").replacing("]", with: "\\]")
          let value = option.placeholder.map { ":\(quoted($0)):\(takesFile(option) ? "_files" : " ")" } ?? ""
          return "'*\(name)[\(help)]\(value)'"
        }
      }
      return "    '\(command.name)') _arguments \(lines.joined(separator: " ")) '*: :_files';;"
    }
    return """
      #compdef errand
      # Completes the arguments of errand in zsh: errand completion zsh
      _errand() {
        local command=$words[2]
        if (( CURRENT == 2 )); then
          local -a commands=(\(list(CommandSpec.all, after: "")))
          _describe command commands
          return
        fi
        if [[ \(parents.map { "$command == \($0.name)" }.joined(separator: " || ")) ]]; then
          if (( CURRENT == 3 )); then
            local -a commands=()
            case $command in
      \(parents.map { "      \($0.name)) commands=(\(list($0.subcommands, after: "\($0.name) ")));;" }.joined(separator: "\n"))
            esac
            _describe command commands
            return
          fi
          command="$command $words[3]"
        fi
        case $command in
          completion) compadd \(CompletionShell.allCases.map(\.rawValue).joined(separator: " "));;
          help) compadd \(CommandSpec.all.map(\.name).joined(separator: " ")) exit-codes;;
      \(options.joined(separator: "\n"))
        esac
      }
      compdef _errand errand

      """
  }

  // MARK: fish

  private static var fish: String {
    func quoted(_ text: String) -> String {
      "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
    var lines = ["# Completes the arguments of errand in fish: errand completion fish"]
    for command in CommandSpec.all {
      lines.append(
        "complete -c errand -n __fish_use_subcommand -f -a \(command.name) -d \(quoted(command.summary))")
    }
    for command in commands {
      let words = command.name.split(separator: " ")
      var seen = "__fish_seen_subcommand_from \(words[0])"
      if words.count > 1 { seen += "; and __fish_seen_subcommand_from \(words[1])" }
      for subcommand in command.subcommands {
        let name = subcommand.name.dropFirst(command.name.count + 1)
        lines.append("complete -c errand -n '\(seen)' -f -a \(name) -d \(quoted(subcommand.summary))")
      }
      for option in command.options {
        let long = option.long.map { " -l \($0)" } ?? ""
        let short = option.short.map { " -s \($0)" } ?? ""
        let value = option.takesValue ? (takesFile(option) ? " -r -F" : " -x") : ""
        lines.append("complete -c errand -n '\(seen)'\(long)\(short)\(value) -d \(quoted(option.help))")
      }
    }
    for shell in CompletionShell.allCases {
      lines.append(
        "complete -c errand -n '__fish_seen_subcommand_from completion' -f -a \(shell.rawValue)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

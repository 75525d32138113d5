import ErrandOutbox

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
        "    '\(command.name)') words='\((following + command.options.flatMap(\.names)).joined(separator: " "))';;"
    }
    let files = Set(OptionSpec.all.filter(takesFile).flatMap(\.names)).sorted().joined(separator: "|")
    let lists = values.map {
      "    \($0.names.joined(separator: "|"))) words='\($0.values.joined(separator: " "))';;"
    }
    let known = Set(values.flatMap(\.names))
    let others = Set(OptionSpec.all.filter { $0.takesValue && !takesFile($0) }.flatMap(\.names)).subtracting(
      known)
    return """
      # Completes the arguments of errand in bash: errand completion bash
      _errand() {
        local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words= first=1 index
        COMPREPLY=()
        # The command that is inspected has arguments of its own.
        for ((index = 1; index < COMP_CWORD; index++)); do
          [ "${COMP_WORDS[1]}" = inspect ] && [ "${COMP_WORDS[index]}" = -- ] && first=$((index + 1))
        done
        local command=${COMP_WORDS[first]}
        if [ "$COMP_CWORD" -eq "$first" ]; then
          case $current in -*) command=request;; *) command= words='\(CommandSpec.all.map(\.name).joined(separator: " "))';; esac
        elif [ "${command#-}" != "$command" ]; then
          command=request
        fi
        case $current in
        @*|*=@*|*@*)
          local start=${current%%@*}@ path
          for path in $(compgen -f -- "${current#*@}"); do COMPREPLY+=("$start$(printf %q "$path")"); done
          return;;
        esac
        if [ "$COMP_CWORD" -gt "$first" ]; then
          case $previous in
          \(files)) COMPREPLY=($(compgen -f -- "$current")); return;;
      \(lists.joined(separator: "\n"))
          --lane) words=$(errand outbox list --output json 2>/dev/null | sed -n 's/.*"lane" *: *"\\([^"]*\\)".*/\\1/p' | sort -u);;
          \(others.subtracting(["--lane"]).sorted().joined(separator: "|"))) return;;
          esac
          if [ -n "$words" ]; then
            COMPREPLY=($(compgen -W "${words// /$IFS}" -- "$current"))
            return
          fi
          case $command in
          \(parents.map(\.name).joined(separator: "|")))
            [ "$COMP_CWORD" -gt $((first + 1)) ] && command="$command ${COMP_WORDS[first + 1]}";;
          esac
        fi
        [ -n "$words" ] || case $command in
      \(words.joined(separator: "\n"))
        esac
        case $command in
        help) words='\(CommandSpec.all.map(\.name).joined(separator: " ")) exit-codes';;
        completion) words='\(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))';;
        \(takingIDs.map { "'\($0)'" }.joined(separator: "|")))
          words="$words $(errand outbox list --output json 2>/dev/null | sed -n 's/.*"id" *: *"\\([^"]*\\)".*/\\1/p' | tr '\\n' ' ')";;
        esac
        COMPREPLY=($(compgen -W "${words// /$IFS}" -- "$current"))
        [ ${#COMPREPLY[@]} -eq 0 ] && [ "${current#-}" = "$current" ] && COMPREPLY=($(compgen -f -- "$current"))
      }
      complete -o filenames -F _errand errand

      """
  }

  /// The options whose values are known.
  private static var values: [(names: [String], values: [String])] {
    [
      (OptionSpec.format.names, ["json"]), (OptionSpec.tlsMinimum.names, ["1.2", "1.3"]),
      (OptionSpec.keyBy.names, ["lane"]),
      (OptionSpec.state.names, OutboxState.allCases.map { "\($0)" }),
      (
        OptionSpec.request.names + OptionSpec.method.names,
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
      ),
      (OptionSpec.print.names, ["HBhb", "hb", "h", "HB"]),
    ]
  }

  /// The commands whose arguments are the IDs of stored requests.
  private static var takingIDs: [String] {
    commands.filter { $0.operands.contains { $0.contains("ID") } }.map(\.name)
  }

  // MARK: zsh

  private static var zsh: String {
    func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''").replacing(":", with: "\\:") }
    func list(_ commands: [CommandSpec], after prefix: String) -> String {
      commands.map { "'\($0.name.dropFirst(prefix.count)):\(quoted($0.summary))'" }.joined(separator: " ")
    }
    let options = commands.filter { $0.subcommands.isEmpty }.map { command in
      let lines = command.options.flatMap { option in
        option.names.map { name in
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
      # The first completion loads this file as the function itself.
      if [[ $funcstack[1] == _errand ]]; then _errand "$@"; else compdef _errand errand; fi

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

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
    func following(_ command: CommandSpec) -> String {
      command.subcommands.map { String($0.name.dropFirst(command.name.count + 1)) }.joined(separator: " ")
    }
    let words = commands.map { command in
      let names = command.options.flatMap(\.names).joined(separator: " ")
      return "    '\(command.name)') words='\(following(command)) \(names)';;"
    }
    let files = Set(OptionSpec.all.filter(takesFile).flatMap(\.names)).sorted().joined(separator: "|")
    let lists = values.map {
      "    \($0.names.joined(separator: "|"))) words='\($0.values.joined(separator: " "))';;"
    }
    let known = Set(values.flatMap(\.names) + ["--lane"])
    let others = Set(OptionSpec.all.filter { $0.takesValue && !takesFile($0) }.flatMap(\.names)).subtracting(
      known)
    let names = CommandSpec.all.map(\.name)
    return """
      # Completes the arguments of errand in bash: errand completion bash
      # Adds each line that begins with the first argument. Unlike compgen -W, this expands nothing in a line, which
      # may come from a server.
      _errand_add() {
        local line
        while IFS= read -r line; do
          [[ -n $line && $line == "$1"* ]] && COMPREPLY+=("$2$(printf %q "$line")")
        done
      }
      _errand_add_files() {
        local path
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "$1")
      }
      _errand() {
        local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words= first=1 index
        COMPREPLY=()
        # The command that is inspected has arguments of its own.
        for ((index = 1; index < COMP_CWORD; index++)); do
          [ "${COMP_WORDS[1]}" = inspect ] && [ "${COMP_WORDS[index]}" = -- ] && first=$((index + 1))
        done
        local command=${COMP_WORDS[first]}
        if [ "$COMP_CWORD" -eq "$first" ]; then
          case $current in -*) command=request;; *) command= words='\(names.joined(separator: " "))';; esac
        else
          # A method, a URL or an option begins a command line without a command.
          case $command in \(names.joined(separator: "|"))) ;; *) command=request;; esac
        fi
        case $current in
        @*|*=@*|*@*) _errand_add "${current#*@}" "${current%%@*}@" < <(compgen -f -- "${current#*@}"); return;;
        esac
        if [ "$COMP_CWORD" -gt "$first" ]; then
          case $previous in
          \(files)) _errand_add_files "$current"; return;;
      \(lists.joined(separator: "\n"))
          --lane) _errand_add "$current" < <(errand outbox list --only lane 2>/dev/null); return;;
          \(others.sorted().joined(separator: "|"))) return;;
          esac
          if [ -n "$words" ]; then
            _errand_add "$current" <<< "${words// /$IFS}"
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
        help)
          words='\(names.joined(separator: " ")) exit-codes errors'
          [ "$COMP_CWORD" -gt $((first + 1)) ] && case ${COMP_WORDS[first + 1]} in
          \(parents.map { "\($0.name)) words='\(following($0))';;" }.joined(separator: " "))
          *) return;;
          esac;;
        completion) words='\(CompletionShell.allCases.map(\.rawValue).joined(separator: " "))';;
        \(takingFiles.map { "'\($0)'" }.joined(separator: "|")))
          [ "${current#-}" = "$current" ] && words=;;
        \(takingIDs.map { "'\($0)'" }.joined(separator: "|")))
          _errand_add "$current" < <(errand outbox list --only id 2>/dev/null);;
        esac
        _errand_add "$current" <<< "${words// /$IFS}"
        [ ${#COMPREPLY[@]} -eq 0 ] && [ "${current#-}" = "$current" ] && _errand_add_files "$current"
      }
      complete -o filenames -F _errand errand

      """
  }

  /// The options whose values are known.
  private static var values: [(names: [String], values: [String])] {
    [
      (OptionSpec.format.names, ["json"]), (OptionSpec.tlsMinimum.names, ["1.2", "1.3"]),
      (OptionSpec.keyBy.names, ["lane"]), (OptionSpec.only.names, ["id", "lane"]),
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

  /// The commands whose first argument is a file.
  private static var takingFiles: [String] {
    commands.filter { $0.operands.first?.contains("FILE") ?? false }.map(\.name)
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
          help) compadd \(CommandSpec.all.map(\.name).joined(separator: " ")) exit-codes errors;;
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

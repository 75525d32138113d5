import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite struct CompletionTests {
  /// Returns bash's completions of the last word.
  private func completions(_ words: String...) async throws -> [String] {
    let script = """
      eval "$($errand completion bash)"
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " "))); COMP_CWORD=\(words.count - 1)
      _errand; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let line = "errand='\(Tool.path)'; export errand; exec bash -c '\(script.replacing("'", with: "'\\''"))'"
    let result = try await Tool.shell(line)
    #expect(result.error.isEmpty, "\(result.error)")
    return result.text.split(separator: "\n").map(String.init)
  }

  @Test func `bash completes commands, subcommands and options`() async throws {
    #expect(try await completions("errand", "do") == ["download"])
    #expect(try await completions("errand", "outbox", "sta").contains("stats"))
    #expect(try await completions("errand", "get", "--ha") == ["--har"])
    #expect(try await completions("errand", "outbox", "run", "--until") == ["--until-empty"])
    #expect(try await completions("errand", "completion", "fi") == ["fish"])
    #expect(try await completions("errand", "get", "--retry", "").isEmpty)
    #expect(try await completions("errand", "inspect", "--", "do") == ["download"])
    #expect(try await completions("errand", "inspect", "--", "get", "--ha") == ["--har"])
    #expect(try await completions("errand", "--max-r") == ["--max-redirs"])
    #expect(try await completions("errand", "get", "--output", "j") == ["json"])
  }

  @Test func `bash completes methods, files to upload, and the topics of help`() async throws {
    #expect(try await completions("errand", "POST", "http://a", "--form") == ["--form"])
    #expect(try await completions("errand", "help", "outbox", "li") == ["list"])
    let folder = try TemporaryFolder()
    try folder.write("", to: "film")
    #expect(try await completions("errand", "upload", folder.path("fi")) == [folder.path("film")])
    #expect(try await completions("errand", "upload", "--tu") == ["--tus"])
  }

  @Test func `bash runs nothing that a stored request or a file has in its name`() async throws {
    let folder = try TemporaryFolder()
    let lanes = ["$(touch run)", "`touch run`", "two words"]
    for lane in lanes {
      let arguments = [
        "post", "http://127.0.0.1:1/", "-d", "a", "--guaranteed", "--detach", "--store", "box",
      ]
      _ = try await Running(Tool.path, arguments + ["--lane", lane], in: folder.url).result()
    }
    try folder.write("", to: "$(touch run)")
    let script = """
      eval "$($errand completion bash)"
      errand() { "$tool" "$@" --store box; }
      for words in 'errand post --lane ' 'errand outbox show ' 'errand post -d @' 'errand get -o '; do
        IFS=' ' read -r -a COMP_WORDS <<< "$words"; case $words in *' ') COMP_WORDS+=("");; esac
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _errand; printf '%s\\n' "${COMPREPLY[@]}"
      done
      """
    try folder.write(script, to: "script")
    let line = "errand='\(Tool.path)' tool='\(Tool.path)' exec bash script"
    let result = try await Tool.shell("export errand; \(line)", in: folder.url)
    #expect(!FileManager.default.fileExists(atPath: folder.path("run")))
    #expect(result.text.contains("two\\ words\n") && result.text.contains(#"\$\(touch\ run\)"#), "\(result)")
    #expect(result.text.matches(of: /[0-9a-f-]{36}\n/).count == 3)
  }

  @Test func `bash completes files after an @, also with blanks in their names`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "two words.json")
    let start = folder.path("two")
    #expect(try await completions("errand", "post", "-d", "@\(start)") == ["@\(start)\\ words.json"])
    #expect(try await completions("errand", "post", "-F", "f=@\(start)") == ["f=@\(start)\\ words.json"])
    #expect(try await completions("errand", "get", "-o", start) == ["\(start) words.json"])
  }

  @Test(arguments: CompletionShell.allCases)
  func `every shell's script names each command and each option`(shell: CompletionShell) {
    let text = CompletionScript.text(for: shell)
    for command in CommandSpec.all { #expect(text.contains(command.name)) }
    for option in CommandSpec.all.flatMap(\.options) {
      let long = option.long ?? ""
      #expect(text.contains(shell == .fish ? "-l \(long)" : "--\(long)") || long.isEmpty, "\(long)")
    }
  }

  @Test(arguments: ["zsh", "fish"])
  func `an installed shell accepts its script`(shell: String) async throws {
    let result = try await Tool.shell(
      "command -v \(shell) >/dev/null || exit 0; '\(Tool.path)' completion \(shell) | \(shell) -n /dev/stdin")
    #expect(result.code == 0, "\(result.error)")
  }

  @Test func `an unknown shell is refused`() async throws {
    let result = try await Tool.run("completion", "csh")
    #expect(result.code == 2)
    #expect(result.error.contains("bash, zsh and fish"))
  }

  @Test func `the manual page has a section for each command and each option`() {
    let page = ManPage.text
    for command in CommandSpec.all + CommandSpec.all.flatMap(\.subcommands) {
      #expect(page.contains(".SS \"errand \(command.name)"))
    }
    #expect(page.contains(#"\fB\-\-har\fR \fIFILE\fR"#))
    for line in page.split(separator: "\n") where line.hasPrefix(".") {
      let request = line.dropFirst().prefix { $0.isLetter }
      #expect(
        ["TH", "SH", "SS", "TP", "B", "I", "PP", "nf", "fi", "RS", "RE", "br"].contains(request), "\(line)")
    }
  }
}

import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

/// `make install` puts the program, its manual page and its completions where systems look for them.
@Suite(.timeLimit(.minutes(1))) struct InstallTests {
  @Test func `make install installs everything, in the places where systems look for it`() async throws {
    let folder = try TemporaryFolder()
    let package = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL.path
    let settings = "BINARY='\(Tool.path)' DESTDIR='\(folder.url.path)' PREFIX=/opt"
    let result = try await Tool.shell("make --silent -C '\(package)' install-files \(settings)")
    #expect(result.code == 0, "\(result.error)")
    let installed = folder.url.appending(path: "opt")
    let version = try await Tool.shell("'\(installed.appending(path: "bin/errand").path)' --version")
    #expect(version.code == 0)
    let files = [
      ("share/man/man1/errand.1", ManPage.text),
      ("share/bash-completion/completions/errand", CompletionScript.text(for: .bash)),
      ("share/zsh/site-functions/_errand", CompletionScript.text(for: .zsh)),
      ("share/fish/vendor_completions.d/errand.fish", CompletionScript.text(for: .fish)),
    ]
    for (path, text) in files {
      let file = try String(contentsOf: installed.appending(path: path), encoding: .utf8)
      #expect(file == text, "\(path)")
    }
    let bash = installed.appending(path: files[1].0).path
    #expect(try await Tool.shell("bash -n '\(bash)'").code == 0)
  }
}

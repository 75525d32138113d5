import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite struct NetrcTests {
  private func entry(_ text: String, _ host: String = "h") throws -> Netrc.Entry? {
    try Netrc(text).entry(for: host)
  }

  private func expected(_ user: String?, _ password: String?, host: String? = "h") -> Netrc.Entry {
    Netrc.Entry(host: host, user: user, password: password.map(SecretText.init))
  }

  @Test(arguments: [
    "machine h login ann password s", "machine h\n\tlogin ann\r\n\tpassword s\n",
    "machine H password s login ann",
    "# a comment\nmachine h login ann account x password s # machine",
    "machine g login g password g\nmachine h login ann password s\nmachine h login z password z\ndefault login d",
    "macdef init\nmachine h login no password no\n\nmachine h login ann password s",
    "machine h macdef m\nlogin no\n\nlogin ann password s",
    "machine \"h\" login \"ann\" password \"\\s\"",
  ])
  func `an entry is found in each of its forms`(text: String) throws {
    #expect(try entry(text) == expected("ann", "s"))
  }

  @Test func `quoted words may contain spaces, quotes and hashes`() throws {
    #expect(
      try entry("machine h login \"a b\" password \"#\\\"\\\\ \t'\"") == expected("a b", "#\"\\ \t'"))
    #expect(try entry("machine h login a password p#1") == expected("a", "p#1"))
    #expect(try entry("machine h login \"macdef\" password x") == expected("macdef", "x"))
  }

  @Test func `default applies to hosts without an entry, wherever it is in the file`() throws {
    let text = "default login d password e\nmachine h login ann password s"
    #expect(try entry(text) == expected("ann", "s"))
    #expect(try entry(text, "g") == expected("d", "e", host: nil))
    #expect(try entry("machine h login ann password s", "g") == nil)
    #expect(try entry("machine h login ann password s", "sub.h") == nil)
    #expect(try entry("") == nil)
  }

  @Test func `the URL's user selects the entry, and no other user's password is used`() throws {
    let netrc = try Netrc(
      "machine h login bob password b\nmachine h login alice password a\nmachine h password none\n"
        + "default login carol password c")
    #expect(netrc.entry(for: "h", user: "alice") == expected("alice", "a"))
    #expect(netrc.entry(for: "h", user: "bob") == expected("bob", "b"))
    #expect(netrc.entry(for: "h") == expected("bob", "b"))
    #expect(netrc.entry(for: "h", user: "carol") == expected("carol", "c", host: nil))
    #expect(netrc.entry(for: "h", user: "dave") == nil)
    #expect(netrc.entry(for: "g", user: "alice") == nil)
    // The same name for a reader, in two encodings.
    #expect(try Netrc("machine h login \u{E9} password s").entry(for: "h", user: "e\u{301}") == nil)
  }

  @Test(arguments: [
    ("https://alice@h/p?q=a@b", "alice", "https://h/p?q=a@b"), ("https://a%40b@h", "a@b", "https://h"),
    ("alice@h/p", "alice", "https://h/p"), ("https://h/a@b", nil, "https://h/a@b"),
    ("https://@h/", nil, "https://h/"), ("https://a%ZZ@h/", "a%ZZ", "https://h/"),
    ("https://a@b@h/", "a@b", "https://h/"),
  ])
  func `the URL loses its user only if netrc is used`(text: String, user: String?, url: String) throws {
    let transfer = try transfer("get", "--netrc", text)
    #expect(transfer.credentials.netrcUser == user)
    #expect(transfer.url == url)
    let other = try self.transfer("get", text)
    #expect(other.credentials.netrcUser == nil)
    #expect(other.url == ValueParser.url(text))
  }

  @Test func `netrc and a password in the URL exclude each other`() {
    #expect(throws: UsageError.self) { try transfer("get", "--netrc", "https://alice:s@h/") }
    #expect(throws: UsageError.self) { try transfer("get", "--netrc", "https://:s@h/") }
    #expect(throws: Never.self) { try transfer("get", "https://alice:s@h/") }
  }

  private func transfer(_ arguments: String...) throws -> Transfer {
    guard case .transfer(let transfer) = try Invocation(arguments) else { throw CancellationError() }
    return transfer
  }

  @Test(arguments: [
    ("machine", 1), ("machine h login", 1), ("\nlogin ann", 2), ("machine h\npassword \"abc", 2),
    ("password", 1),
    ("machine h\nlogin ann passwort s", 2), ("machine h login a \"b\\", 1),
  ])
  func `the error for a mistake gives its line, and quotes no words`(text: String, line: Int) {
    do {
      _ = try Netrc(text)
      Issue.record("It was accepted.")
    } catch {
      #expect(error.line == line)
      #expect(!error.reason.contains("abc") && !error.reason.contains("passwort"))
    }
  }

  @Test func `no description shows a password`() throws {
    let netrc = try Netrc("machine h login ann password mk0f1e2d")
    var shown = "\(netrc) \(String(reflecting: netrc))"
    dump(netrc, to: &shown)
    #expect(!shown.contains("mk0f1e2d"))
  }

  @Test func `random text never crashes the parser`() {
    let parts = [
      "machine", "default", "login", "password", "macdef", "account", "\"", "\\", "#", "\n", "\r", " ", "h",
      "é", "\0",
    ]
    var state: UInt64 = 5
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += parts[Int(state >> 33) % parts.count] + ((state >> 20) & 1 == 0 ? " " : "")
      }
      _ = try? Netrc(text).entry(for: "h")
    }
  }

  @Test func `a file that other users can read is refused, and so is a file without the host`() throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.url.path]
    #expect(throws: FileError.self) { try NetrcFile.login(for: "h", environment) }
    try folder.write("machine h login ann password s", to: ".netrc")
    let path = folder.path(".netrc")
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
      chmod(path, mode_t(mode))
      #expect(throws: FileError.self) { try NetrcFile.login(for: "h", environment) }
    }
    chmod(path, 0o600)
    #expect(try NetrcFile.login(for: "h", environment) == ("ann", SecretText("s")))
    #expect(throws: UsageError.self) { try NetrcFile.login(for: "g", environment) }
    #expect(throws: UsageError.self) { try NetrcFile.login(for: "h", [:]) }
    try folder.write("machine h login z password z", to: "other")
    chmod(folder.path("other"), 0o600)
    let named = environment.merging(["NETRC": folder.path("other")]) { $1 }
    #expect(try NetrcFile.login(for: "h", named) == ("z", SecretText("z")))
    try folder.write(Data([0xFF]), to: ".netrc")
    #expect(throws: FileError.self) { try NetrcFile.login(for: "h", environment) }
  }
}

import Testing

@testable import ErrandCommands

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct FileTargetTests {
  @Test(
    arguments: [
      ("http://a/film.mp4", "film.mp4"), ("http://a/b/film.mp4?x=/y#z", "film.mp4"),
      ("http://a/a%20b", "a b"),
      ("http://a/caf%C3%A9", "caf\u{e9}"), ("http://a/b/", nil), ("http://a", nil), ("http://a/", nil),
      ("http://a/..", nil), ("http://a/.", nil), ("http://a/.bashrc", nil), ("http://a/-rf", nil),
      ("http://a/~root", "~root"),
      ("http://a/a%2Fb", nil), ("http://a/%2e%2e", nil), ("http://a/a%00b", nil), ("http://a/%1b%5b2J", nil),
      ("http://a/%ff", nil),
    ] as [(String, String?)])
  func `a file is named after the last part of the URL, if that is a safe name`(
    _ url: String, _ name: String?
  )
    throws
  {
    #expect(FileTarget.name(from: try #require(URL(string: url))) == name)
  }

  @Test func `a download target that is a device is written to, not replaced`() throws {
    guard case .device(let path) = try FileTarget(.file("/dev/null"), url: nil) else {
      Issue.record("it would be replaced")
      return
    }
    #expect(path == "/dev/null")
  }

  @Test func `a folder is refused`() {
    #expect(throws: CommandFailure.self) { try FileTarget(.file("/tmp"), url: nil) }
  }
}

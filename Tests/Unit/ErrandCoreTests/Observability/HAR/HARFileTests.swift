import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandConformance
@testable import ErrandCore
@testable import ErrandObservability

@Suite struct HARFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("calls.har").path }

  init() throws { folder = try TemporaryFolder() }

  private static func entry(_ number: Int) -> Data { Data(#"{"startedDateTime":"\#(number)"}"#.utf8) }

  private func entries() throws -> [String] {
    struct Whole: Decodable {
      struct Log: Decodable {
        struct Entry: Decodable { let startedDateTime: String }
        struct Page: Decodable {
          let id: String
          let startedDateTime: String
        }
        // Safari opens no file without a page.
        let pages: [Page]
        let version: String
        let entries: [Entry]
      }
      let log: Log
    }
    let whole = try JSONDecoder().decode(Whole.self, from: Data(contentsOf: URL(filePath: path)))
    #expect(whole.log.version == "1.2")
    #expect(whole.log.pages.map(\.id) == [HAREntry.page])
    #expect(whole.log.pages.allSatisfy { $0.startedDateTime.hasSuffix("Z") })
    return whole.log.entries.map(\.startedDateTime)
  }

  @Test func `the file is a complete document before the first entry and after each entry`() throws {
    var file = try HARFile(path, appends: false)
    #expect(try entries().isEmpty)
    for number in 0..<5 {
      try file.append(Self.entry(number))
      #expect(try entries() == (0...number).map(String.init))
    }
  }

  @Test func `only the owner can read the file`() throws {
    _ = try HARFile(path, appends: false)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  /// Opens the file, writes an entry, and closes it.
  private func record(_ number: Int, appends: Bool) throws {
    var file = try HARFile(path, appends: appends)
    try file.append(Self.entry(number))
  }

  @Test func `a recorder replaces the file, or appends to it`() throws {
    try record(1, appends: false)
    try record(2, appends: true)
    #expect(try entries() == ["1", "2"])
    try record(3, appends: false)
    #expect(try entries() == ["3"])
  }

  @Test(arguments: [false, true]) func `only one recorder at a time can have the file`(appends: Bool) throws {
    var first: HARFile? = try HARFile(path, appends: false)
    try first?.append(Self.entry(1))
    let error = #expect(throws: FileError.self) { try HARFile(path, appends: appends) }
    #expect(error?.description.contains("another recorder is writing it") == true)
    try first?.append(Self.entry(2))
    #expect(try entries() == ["1", "2"])
    first = nil
    try record(3, appends: appends)
    #expect(try entries() == (appends ? ["1", "2", "3"] : ["3"]))
  }

  @Test func `a file of a killed process is repaired with all complete entries, wherever it was cut`()
    throws
  {
    for number in 0..<3 { try record(number, appends: number > 0) }
    let whole = try Data(contentsOf: URL(filePath: path))
    // A file of a few bytes could have any format.
    for length in whole.indices where length == 0 || length >= 8 {
      try whole.prefix(length).write(to: URL(filePath: path))
      try record(9, appends: true)
      let found = try entries()
      #expect(found.last == "9")
      #expect(found.dropLast().elementsEqual(["0", "1", "2"].prefix(found.count - 1)), "cut at \(length)")
      if length == whole.count - 1 { #expect(found.count == 4) }
    }
  }

  @Test func `a file whose end was partly overwritten is repaired`() throws {
    try record(1, appends: false)
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    for torn in [",]}}\n", ",\n}}\n", ",\n{}\n", ",\n{\"st\n"] {
      try (whole.dropLast(5) + torn).write(toFile: path, atomically: false, encoding: .utf8)
      try record(2, appends: true)
      #expect(try entries().last == "2", "\(torn)")
    }
  }

  @Test(
    arguments: [
      "notes\n", "{", "[]", #"{"log":{"version":"1.2","creator":{"name":"WebInspector","version":"1"}}}"#,
    ], [false, true])
  func `a file that Errand did not write is not changed`(text: String, appends: Bool) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let error = #expect(throws: FileError.self) { try HARFile(path, appends: appends) }
    #expect(error?.description.contains("it is not a HAR file that Errand has written") == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func `a recording that another program has reformatted is refused, and not changed`() throws {
    try record(1, appends: false)
    try record(2, appends: true)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for other in [
      text.replacingOccurrences(of: "\n", with: ""), text.replacingOccurrences(of: "\n{", with: "\n {"),
    ] {
      try other.write(toFile: path, atomically: true, encoding: .utf8)
      let error = #expect(throws: FileError.self) { try HARFile(path, appends: true) }
      #expect(error?.description.contains("another program") == true)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == other)
    }
  }

  @Test func `a long file is continued after its last complete entry`() throws {
    do {
      var file = try HARFile(path, appends: false)
      // Some lines are longer than one read.
      for number in 0..<2000 {
        let text = String(repeating: "x", count: number % 700 == 699 ? 3 << 20 : number)
        try file.append(Data(#"{"startedDateTime":"\#(number)","text":"\#(text)"}"#.utf8))
      }
    }
    try record(2000, appends: true)
    #expect(try entries() == (0...2000).map(String.init))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text.dropLast(5) + ",\n{\"torn\": 1}\n]}}\n").write(toFile: path, atomically: false, encoding: .utf8)
    try record(2001, appends: true)
    #expect(try entries() == (0...2001).map(String.init))
  }

  #if os(Linux)
    @Test(.enabled(if: geteuid() == 0, "a small disk needs root"))
    func `a full disk leaves the file as it was, and a shorter entry still fits`() throws {
      let disk = try #require(SmallDisk(at: folder.url.path))
      defer { disk.unmount() }
      var file = try HARFile(path, appends: false)
      func append(_ number: Int, length: Int) throws {
        let text = String(repeating: "x", count: length)
        try file.append(Data(#"{"startedDateTime":"\#(number)","text":"\#(text)"}"#.utf8))
      }
      var count = 0
      for length in [300_000, 20_000, 700] {
        #expect(throws: FileError.self) {
          while true {
            try append(count, length: length)
            count += 1
          }
        }
        #expect(try entries() == (0..<count).map(String.init))
      }
      #expect(count > 10)
      // There is room again.
      try append(count, length: 1)
      #expect(try entries() == (0...count).map(String.init))
    }
  #endif

  @Test func `a link to a recording remains a link, and a pipe or a device is refused`() throws {
    #expect(symlink("other.har", path) == 0)
    try record(1, appends: false)
    try record(2, appends: true)
    #expect(try entries() == ["1", "2"])
    #expect(try folder.names == ["calls.har", "other.har"])
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let device = try OwnDevice()
    for path in [folder.path("pipe"), device.path, "/dev/stdout", folder.url.path] {
      let error = #expect(throws: FileError.self) { try HARFile(path, appends: false) }
      #expect(error?.description.contains("not a regular file") == true)
    }
  }
}

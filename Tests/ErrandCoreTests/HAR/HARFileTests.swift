import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct HARFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("calls.har").path }

  init() throws { folder = try TemporaryFolder() }

  private static func entry(_ number: Int) -> Data { Data(#"{"startedDateTime":"\#(number)"}"#.utf8) }

  private func entries() throws -> [String] {
    struct Whole: Decodable {
      struct Log: Decodable {
        struct Entry: Decodable { let startedDateTime: String }
        let version: String
        let entries: [Entry]
      }
      let log: Log
    }
    let whole = try JSONDecoder().decode(Whole.self, from: Data(contentsOf: URL(filePath: path)))
    #expect(whole.log.version == "1.2")
    return whole.log.entries.map(\.startedDateTime)
  }

  @Test func `the file is whole before the first entry and after each`() throws {
    var file = try HARFile(path, appends: false)
    #expect(try entries().isEmpty)
    for number in 0..<5 {
      try file.append(Self.entry(number))
      #expect(try entries() == (0...number).map(String.init))
    }
  }

  @Test func `only its owner may read the file`() throws {
    _ = try HARFile(path, appends: false)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test func `a file is replaced, or gone on with`() throws {
    var first = try HARFile(path, appends: false)
    try first.append(Self.entry(1))
    var second = try HARFile(path, appends: true)
    try second.append(Self.entry(2))
    #expect(try entries() == ["1", "2"])
    var third = try HARFile(path, appends: false)
    try third.append(Self.entry(3))
    #expect(try entries() == ["3"])
  }

  @Test func `wherever a killed process has left off, the file is mended with the entries that are whole`()
    throws
  {
    var file = try HARFile(path, appends: false)
    for number in 0..<3 { try file.append(Self.entry(number)) }
    let whole = try Data(contentsOf: URL(filePath: path))
    for length in whole.indices {
      try whole.prefix(length).write(to: URL(filePath: path))
      var mended = try HARFile(path, appends: true)
      try mended.append(Self.entry(9))
      let found = try entries()
      #expect(found.last == "9")
      #expect(found.dropLast().elementsEqual(["0", "1", "2"].prefix(found.count - 1)), "cut at \(length)")
      if length == whole.count - 1 { #expect(found.count == 4) }
    }
  }

  @Test func `an end that was overwritten in part is mended`() throws {
    var file = try HARFile(path, appends: false)
    try file.append(Self.entry(1))
    let whole = try String(contentsOfFile: path, encoding: .utf8)
    for torn in [",]}}\n", ",\n}}\n", ",\n{}\n", ",\n{\"st\n"] {
      try (whole.dropLast(5) + torn).write(toFile: path, atomically: false, encoding: .utf8)
      var mended = try HARFile(path, appends: true)
      try mended.append(Self.entry(2))
      #expect(try entries().last == "2", "\(torn)")
    }
  }

  @Test func `a file that is none of Errand's is replaced`() throws {
    try "notes\n".write(toFile: path, atomically: false, encoding: .utf8)
    _ = try HARFile(path, appends: true)
    #expect(try entries().isEmpty)
  }
}

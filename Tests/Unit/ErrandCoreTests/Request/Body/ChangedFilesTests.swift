import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore

/// Files of bodies that change while they are sent, or between the attempts of one call.
@Suite struct ChangedFilesTests {
  private let folder: TemporaryFolder
  private var file: URL { folder.file("file") }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("before", to: "file")
    try Self.makeOld(file)
  }

  /// Sets the file's date back, so that the file system's clock gives every later write another date.
  private static func makeOld(_ file: URL) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: file.path)
  }

  /// A change of the file.
  private enum Change: CaseIterable {
    case overwritten, replaced, dated

    func make(of file: URL) throws {
      switch self {
      case .overwritten:
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("after!".utf8))
        try handle.close()
      case .replaced:
        // The same length and date, so that only the inode differs.
        let other = file.deletingLastPathComponent().appending(path: "other")
        try Data("after!".utf8).write(to: other)
        try ChangedFilesTests.makeOld(other)
        try FileDescriptor.move(other.path, to: file.path)
      case .dated:
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 2_000_000)], ofItemAtPath: file.path)
      }
    }
  }

  private enum Kind: CaseIterable {
    case file, multipart, compressed, compressedMultipart, signed

    func request(_ file: URL) -> Request {
      let form = RequestBody.multipart(MultipartForm().field("a", "1").file("f", at: file).field("b", "2"))
      let put = Request.put("http://a.test/").idempotencyKey("k")
      return switch self {
      case .file: put.body(.file(file))
      case .multipart: put.body(form)
      case .compressed: put.body(.file(file)).compressed()
      case .compressedMultipart: put.body(form).compressed()
      case .signed: put.body(.file(file)).signed(by: NumberingSigner())
      }
    }
  }

  @Test func `two file names that are equal as text but differ in bytes are two files`() async throws {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    for name in names {
      let made = open(folder.path("") + "/" + name, O_CREAT | O_WRONLY, 0o600)
      try #require(made >= 0)
      #expect(write(made, name, name.utf8.count) == name.utf8.count)
      close(made)
    }
    let form = names.reduce(MultipartForm()) { form, name in
      form.file("f", at: URL(filePath: folder.path("") + "/" + name))
    }
    let stage = Stage { _ in .response() }
    let response = try await stage.client.send(.put("http://a.test/", .multipart(form)).compressed())
    #expect(response.status == 200)
  }

  @Test(arguments: Change.allCases, Kind.allCases)
  private func `a file that changes between two attempts is not sent again with the same idempotency key`(
    change: Change, kind: Kind
  ) async throws {
    let file = file
    let stage = Stage { request in
      guard request.index == 0 else { return .response() }
      try change.make(of: file)
      return .fail(.connectionLost)
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(kind.request(file).attemptsAtOnce(3))
    }
    #expect(error?.code == .fileChanged)
    #expect(error?.message.contains(file.path) == true)
    #expect(error?.reachedServer == true)
    #expect(stage.stub.requests.count == 1)
  }

  @Test(arguments: Kind.allCases)
  private func `an unchanged file is sent again`(kind: Kind) async throws {
    let stage = Stage { $0.index == 0 ? .fail(.connectionLost) : .response() }
    // A link and new permissions do not change the content.
    try FileManager.default.linkItem(at: file, to: folder.file("link"))
    try await stage.client.send(kind.request(file).attemptsAtOnce(3))
    #expect(stage.stub.requests.count == 2)
  }

  @Test func `a file that changes before a redirect is followed is not sent to its target`() async throws {
    let file = file
    let stage = Stage { request in
      guard request.index == 0 else { return .response() }
      try Change.overwritten.make(of: file)
      return .response(status: 307, fields: ["Location": "/b"])
    }
    let error = await #expect(throws: RequestError.self) {
      try await stage.client.send(Kind.file.request(file))
    }
    #expect(error?.code == .fileChanged)
    #expect(stage.stub.requests.count == 1)
  }

  @Test func `two calls may send different contents of the same file`() async throws {
    let stage = Stage { _ in .response() }
    try await stage.client.send(Kind.file.request(file))
    try Change.overwritten.make(of: file)
    try await stage.client.send(Kind.file.request(file))
    #expect(stage.stub.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["before", "after!"])
  }

  @Test(arguments: [false, true])
  func `a file that is overwritten with as many bytes while it is read is never read completely`(isForm: Bool)
    throws
  {
    let segments: [BodySegment] =
      isForm
      ? [.bytes(Data("head".utf8)), .file(path: file.path), .bytes(Data("end".utf8))]
      : [.file(path: file.path)]
    let reader = try SegmentReader(segments)
    var room = [UInt8](repeating: 0, count: 3)
    // This reads half of the file.
    for _ in 0..<(isForm ? 3 : 1) { _ = try room.withUnsafeMutableBytes { try reader.read(into: $0) } }
    try Change.overwritten.make(of: file)
    let error = #expect(throws: RequestError.self) {
      _ = try room.withUnsafeMutableBytes { try reader.read(into: $0) }
    }
    #expect(error?.code == .fileChanged)
  }

  @Test func `an open file is read to its end, even if its name is given to another file`() throws {
    let reader = try SegmentReader([.file(path: file.path)])
    try Change.replaced.make(of: file)
    var room = [UInt8](repeating: 0, count: 100)
    #expect(try room.withUnsafeMutableBytes { try reader.read(into: $0) } == .bytes(6))
    #expect(room.prefix(6).elementsEqual(Data("before".utf8)))
  }
}

import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

@Suite struct DigestFileTests {
  static let piece = 256 << 10

  @Test(arguments: [0, 1, piece - 1, piece, piece + 1, 2 * piece, 3 * piece + 17])
  func `a file has the digest of its content`(length: Int) throws {
    let folder = try TemporaryFolder()
    let content = Data.seeded(length)
    try folder.write(content, to: "a file %00 ü")
    let file = folder.file("a file %00 ü")
    let both: [DigestAlgorithm] = [.sha512, .sha256, .sha512]
    #expect(try ContentDigest(ofFileAt: file, using: both) == ContentDigest(of: content, using: both))
    #expect(try DigestAlgorithm.sha256.digest(ofFileAt: file) == DigestAlgorithm.sha256.digest(of: content))
    try ReprDigest(of: content, using: both).verify(fileAt: file)
    #expect { try ReprDigest(of: content + [0]).verify(fileAt: file) } throws: {
      ($0 as? SigningError)?.code == .mismatch
    }
  }

  @Test func `a file is read in pieces of 256 KiB, each of which is delivered once`() throws {
    let folder = try TemporaryFolder()
    let content = Data.seeded(5 * Self.piece + 3)
    try folder.write(content, to: "file")
    var (pieces, read): ([Int], Data) = ([], Data())
    try DigestFile.forEachPiece(of: folder.file("file")) { piece in
      pieces.append(piece.count)
      read.append(contentsOf: piece)
    }
    #expect(pieces == Array(repeating: Self.piece, count: 5) + [3])
    #expect(read == content)
  }

  @Test func `a file that is written to while it is read is refused`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("file")
    for change in ["longer", "shorter", "other"] {
      let url = try folder.zeros("file", 3 * Self.piece)
      var isFirst = true
      #expect {
        try DigestFile.forEachPiece(of: url) { _ in
          guard isFirst else { return }
          isFirst = false
          let handle = FileHandle(forWritingAtPath: file.path)
          switch change {
          case "longer": try? handle?.truncate(atOffset: UInt64(4 * Self.piece))
          case "shorter": try? handle?.truncate(atOffset: UInt64(2 * Self.piece))
          default:
            // The file system's clock does not advance for some milliseconds, so a later time is set.
            try? handle?.write(contentsOf: Data([1]))
            try? FileManager.default.setAttributes(
              [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: file.path)
          }
          try? handle?.close()
        }
      } throws: {
        ($0 as? SigningError)?.code == .fileChanged
      }
    }
  }

  @Test func `a file that grows as fast as it is read is soon refused`() throws {
    let folder = try TemporaryFolder()
    let url = try folder.zeros("file", Self.piece)
    var pieces = 0
    #expect {
      try DigestFile.forEachPiece(of: url) { _ in
        pieces += 1
        guard pieces < 20 else { return }
        let handle = FileHandle(forWritingAtPath: url.path)
        try? handle?.truncate(atOffset: UInt64((pieces + 2) * Self.piece))
        try? handle?.close()
      }
    } throws: {
      ($0 as? SigningError)?.code == .fileChanged
    }
    #expect(pieces == 2)
  }

  @Test func `anything except a readable regular file is refused without waiting for it`() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
    let urls = [
      folder.file("missing"), folder.url, folder.file("pipe"), URL(filePath: "/dev/zero"),
      try #require(URL(string: "https://example.com/file")),
      try #require(URL(string: folder.file("a").absoluteString + "%00b")),
    ]
    try folder.write("content", to: "a")
    for url in urls {
      #expect { try ContentDigest(ofFileAt: url) } throws: { ($0 as? SigningError)?.code == .fileUnreadable }
      #expect { try ContentDigest(of: Data()).verify(fileAt: url) } throws: {
        ($0 as? SigningError)?.code == .fileUnreadable
      }
    }
  }

  @Test func `a link to a file is followed`() throws {
    let folder = try TemporaryFolder()
    try folder.write("content", to: "file")
    try FileManager.default.createSymbolicLink(
      at: folder.file("link"), withDestinationURL: folder.file("file"))
    #expect(
      try ContentDigest(ofFileAt: folder.file("link")) == ContentDigest(of: Data("content".utf8)))
  }
}

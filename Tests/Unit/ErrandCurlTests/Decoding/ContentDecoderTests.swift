import CZstd
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandCore
@testable import ErrandCurl

@Suite(.computesLong) struct ContentDecoderTests {
  static let text = Data((0..<3000).flatMap { "line \($0) of a text that repeats itself\n".utf8 })
  private static let brotliText = Data("hello brotli, hello brotli, hello brotli".utf8)

  static let samples: [(encoding: String, coded: Data, plain: Data)] = [
    ("gzip", gzip(text), text),
    ("x-gzip", gzip(text), text),
    ("deflate", zlib(text), text),
    ("deflate", raw(text), text),
    ("br", Data(base64Encoded: "GycAAMRxbN387upFRKpB+KnHc3pC62MC")!, brotliText),
    ("zstd", zstd(text), text),
    ("gzip, zstd", zstd(gzip(text)), text),
    ("deflate, gzip, zstd", zstd(gzip(raw(text))), text),
  ]

  private static func gzip(_ data: Data) -> Data { (try? Gzip.compress(data)) ?? Data() }

  /// Returns the deflate data of a gzip member, without its header of 10 bytes and its trailer of 8.
  private static func raw(_ data: Data) -> Data { Data(gzip(data).dropFirst(10).dropLast(8)) }

  private static func zlib(_ data: Data) -> Data {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in data {
      a = (a + UInt32(byte)) % 65521
      b = (b + a) % 65521
    }
    let sum = withUnsafeBytes(of: (b << 16 | a).bigEndian) { Data($0) }
    return Data([0x78, 0x9C]) + raw(data) + sum
  }

  private static func zstd(_ data: Data) -> Data {
    var room = Data(count: ZSTD_compressBound(data.count))
    let count = room.withUnsafeMutableBytes { room in
      data.withUnsafeBytes { ZSTD_compress(room.baseAddress, room.count, $0.baseAddress, $0.count, 3) }
    }
    return room.prefix(count)
  }

  /// Feeds the data to a decoder piece by piece, and returns its output.
  private func decode(_ encoding: String, _ data: Data, pieces: Int = 1 << 20, room: Int = 128 << 10) throws
    -> Data
  {
    let decoder = try #require(ContentDecoder(["Content-Encoding": encoding]))
    var (result, rest) = (Data(), data)
    while !rest.isEmpty {
      decoder.put(Data(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
      while decoder.hasMore, let piece = try decoder.takePiece(room) {
        #expect(piece.count <= room)
        result += piece
      }
    }
    try decoder.end()
    return result
  }

  @Test(arguments: samples.indices)
  func `a decoder decodes each coding, however the data is split`(index: Int) throws {
    let sample = Self.samples[index]
    for (pieces, room) in [
      (1 << 20, 128 << 10), (1, 128 << 10), (1000, 64), (2, 1), (sample.coded.count - 1, 4096),
    ] {
      let plain = try decode(sample.encoding, sample.coded, pieces: pieces, room: room)
      #expect(plain == sample.plain, "\(sample.encoding) in pieces of \(pieces) into \(room)")
    }
  }

  @Test(arguments: samples.indices)
  func `a decoder refuses data that is truncated at any point`(index: Int) throws {
    let sample = Self.samples[index]
    let ends =
      sample.coded.count < 60
      ? Array(1..<sample.coded.count)
      : [1, 2, 3, 9, 10, 11, sample.coded.count / 2] + (1...9).map { sample.coded.count - $0 }
    for end in ends {
      let failure = #expect(throws: DecodingFailure.self, "\(sample.encoding) after \(end) bytes") {
        try decode(sample.encoding, sample.coded.prefix(end))
      }
      #expect(failure?.description == "it ends too soon")
    }
  }

  @Test(arguments: samples.indices)
  func `a decoder refuses data after the end`(index: Int) {
    let sample = Self.samples[index]
    for rest in [Data([0]), Data("x".utf8), Data("trailing garbage".utf8)] {
      for pieces in [1 << 20, sample.coded.count, 1] {
        #expect(throws: DecodingFailure.self, "\(sample.encoding) before \(rest.count) bytes") {
          try decode(sample.encoding, sample.coded + rest, pieces: pieces)
        }
      }
    }
  }

  @Test func `a decoder accepts several members of gzip and several frames of zstd as one body`() throws {
    let (first, second) = (Data("first, ".utf8), Data("second".utf8))
    for pieces in [1 << 20, 1] {
      #expect(try decode("gzip", Self.gzip(first) + Self.gzip(second), pieces: pieces) == first + second)
      #expect(try decode("zstd", Self.zstd(first) + Self.zstd(second), pieces: pieces) == first + second)
      // The second member must be complete as well.
      #expect(throws: DecodingFailure.self) {
        try decode("gzip", Self.gzip(first) + Self.gzip(second).dropLast(1), pieces: pieces)
      }
    }
  }

  @Test func `a decoder verifies the checksums of its data`() {
    var damaged = Self.gzip(Self.text)
    damaged[damaged.count - 6] ^= 1
    #expect(throws: DecodingFailure.self) { try decode("gzip", damaged) }
    damaged = Self.zlib(Self.text)
    damaged[damaged.count - 1] ^= 1
    #expect(throws: DecodingFailure.self) { try decode("deflate", damaged) }
  }

  @Test func `a body without codings has no decoder`() {
    for encoding in ["identity", "", "identity, , IDENTITY"] {
      #expect(ContentDecoder(["Content-Encoding": encoding]) == nil)
    }
    #expect(ContentDecoder([:]) == nil)
  }

  @Test func `several fields are combined into one list, and names of codings are case-insensitive`() throws {
    let decoder = try #require(
      ContentDecoder(["Content-Encoding": "GZIP", "content-encoding": "identity, ZStd"]))
    decoder.put(Self.zstd(Self.gzip(Self.text)))
    var plain = Data()
    while let piece = try decoder.takePiece(1 << 20) { plain += piece }
    try decoder.end()
    #expect(plain == Self.text)
  }

  @Test(arguments: ["compress", "exi", "gzip, nonsense", "gzip, gzip, gzip, gzip"])
  func `an unknown coding, and more than three codings, are refused at the first byte`(encoding: String)
    throws
  {
    let decoder = try #require(ContentDecoder(["Content-Encoding": encoding]))
    // An empty body remains empty, like that of HEAD and 304.
    try decoder.end()
    decoder.put(Data([0x1F]))
    #expect(throws: DecodingFailure.self) { try decoder.takePiece(100) }
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func `an empty body is empty, whatever its coding`(encoding: String) throws {
    #expect(try decode(encoding, Data()) == Data())
  }

  @Test func `zstd may not require a window of more than 8 MiB`() throws {
    // A frame with a window of 2 to the power of its descriptor, and one block: the byte a.
    func frame(windowLog: UInt8) -> Data {
      Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, (windowLog - 10) << 3, 0x09, 0x00, 0x00, 0x61])
    }
    #expect(try decode("zstd", frame(windowLog: 23)) == Data("a".utf8))
    #expect(throws: DecodingFailure.self) { try decode("zstd", frame(windowLog: 24)) }
    #expect(throws: DecodingFailure.self) { try decode("zstd", frame(windowLog: 27)) }
  }

  @Test func `a decoder decodes no more than is taken`() throws {
    let decoder = try #require(ContentDecoder(["Content-Encoding": "gzip"]))
    decoder.put(Self.gzip(Data(count: 10 << 20)))
    var count = 0
    while let piece = try decoder.takePiece(64 << 10) {
      count += piece.count
      if count < 10 << 20 { #expect(decoder.hasMore) }
    }
    #expect(count == 10 << 20)
    #expect(!decoder.hasMore)
    try decoder.end()
  }

  @Test func `damaged data ends in an error or in its end, and never in an endless loop`() {
    var random = SeededRandom(seed: 10)
    for _ in 0..<2000 {
      let sample = Self.samples.randomElement(using: &random)!
      var data = sample.coded
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        data[Int.random(in: 0..<data.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = try? decode(
        sample.encoding, data, pieces: .random(in: 1...2000, using: &random),
        room: .random(in: 1...5000, using: &random))
    }
  }
}

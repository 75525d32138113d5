import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

@Suite struct RecordPaddingTests {
  private let key: ContentKey

  init() throws { key = try ContentKey(Data("sixteen bytes ok".utf8)) }

  private func encrypted(_ count: Int, _ padding: RecordPadding, recordSize: Int = 27) throws -> Data {
    try ContentCoding.encrypt([Data(count: count)], key, recordSize: recordSize, padding: padding)
  }

  @Test func `padding makes the content longer by the configured number`() throws {
    for count in 0...40 {
      for padding in 0...40 {
        let encrypted = try encrypted(count, .bytes(padding))
        let records = max(1, (count + padding + 9) / 10)
        #expect(encrypted.count == 21 + count + padding + records * 17)
        #expect(try ContentCoding.decrypt([encrypted], key) == Data(count: count))
      }
    }
  }

  @Test func `padding to a multiple hides all lengths up to it`() throws {
    for multiple in [1, 7, 10, 25] {
      for count in 0...60 {
        let encrypted = try encrypted(count, .toMultiple(of: multiple))
        let length = (count + multiple - 1) / multiple * multiple
        #expect(encrypted.count == 21 + length + max(1, (length + 9) / 10) * 17)
        #expect(try ContentCoding.decrypt([encrypted], key) == Data(count: count))
      }
    }
  }

  @Test func `padding is in the first records, each of which contains a byte of content`() throws {
    // Twelve zeros: nine with the first byte, three with the next seven.
    let encrypted = try encrypted(20, .bytes(12))
    var decoder = AES128GCMDecoder()
    _ = try decoder.update(encrypted.prefix(21))
    _ = try decoder.use(key)
    var counts: [Int] = []
    for start in stride(from: 21, to: encrypted.count, by: 27) {
      counts.append(try decoder.update(encrypted[start..<min(start + 27, encrypted.count)]).count)
    }
    #expect(counts == [1, 7, 10, 0])
    #expect(try decoder.finish().count == 2)
  }

  @Test func `impossible padding is refused`() throws {
    let (most, more) = (RecordPadding.maximum, RecordPadding.maximum + 1)
    for padding in [
      .bytes(-1), .bytes(more), .bytes(.max), .toMultiple(of: 0), .toMultiple(of: -1), .toMultiple(of: more),
    ]
      as [RecordPadding]
    {
      let error = #expect(throws: SigningError.self) { _ = try encrypted(1, padding) }
      #expect(error?.code == .invalidParameter)
    }
    #expect(try encrypted(1, .bytes(most), recordSize: 1 << 20).count > most)
    #expect(try encrypted(1, .toMultiple(of: most), recordSize: 1 << 20).count > most)
  }
}

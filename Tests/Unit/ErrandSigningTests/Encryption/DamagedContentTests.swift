import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

@Suite struct DamagedContentTests {
  private let key: ContentKey
  private let content: Data
  /// Five records of 40 bytes, of which the last is shorter.
  private let encrypted: Data
  private static let start = 16 + 4 + 1 + 3

  init() throws {
    var random = Seeded(7)
    content = random.data(100)
    key = try ContentKey(Data("sixteen bytes ok".utf8), id: "key")
    encrypted = try ContentCoding.encrypt([content], key, recordSize: 40)
  }

  private var header: Data { encrypted.prefix(Self.start) }
  private var records: [Data] {
    stride(from: Self.start, to: encrypted.count, by: 40).map {
      encrypted[$0..<min($0 + 40, encrypted.count)]
    }
  }

  private func refusal(_ content: Data) -> SigningError.Code? {
    ContentCoding.refusal(of: content, key)
  }

  @Test func `a flipped bit anywhere is refused`() {
    #expect(refusal(encrypted) == nil)
    for bit in 0..<encrypted.count * 8 {
      #expect(refusal(encrypted.flipping(bit)) != nil, "bit \(bit)")
    }
    // The key's name is not authenticated; if it is changed, the key is not found.
    for bit in 21 * 8..<24 * 8 { #expect(refusal(encrypted.flipping(bit)) == .unknownKey) }
  }

  @Test func `the record size in a single record's header can be changed without effect`() throws {
    // RFC 8188 does not authenticate it; it only says where the next record would begin.
    let single = try ContentCoding.encrypt([content.prefix(10)], key, recordSize: 40)
    for bit in 0..<single.count * 8 {
      let changed = single.flipping(bit)
      if (16..<20).contains(bit / 8), refusal(changed) == nil {
        #expect(try ContentCoding.decrypt([changed], key) == content.prefix(10))
      } else {
        #expect(refusal(changed) != nil, "bit \(bit)")
      }
    }
  }

  @Test func `every truncation is refused, whatever the last record's length`() throws {
    for length in 0..<encrypted.count {
      #expect(refusal(encrypted.prefix(length)) != nil, "\(length) bytes")
    }
    for count in 0..<records.count {
      #expect(refusal(header + records.prefix(count).reduce(Data(), +)) == .truncated)
    }
    let even = try ContentCoding.encrypt([content.prefix(92)], key, recordSize: 40)
    #expect((even.count - Self.start) % 40 == 0)
    #expect(refusal(even) == nil)
    for length in 0..<even.count { #expect(refusal(even.prefix(length)) != nil, "\(length) bytes") }
  }

  @Test func `bytes after the last record are refused`() throws {
    let even = try ContentCoding.encrypt([content.prefix(92)], key, recordSize: 40)
    for extra in [1, 16, 17, 39, 40, 41, 80] {
      #expect(refusal(even + Data(count: extra)) == .malformed)
      #expect(refusal(encrypted + Data(count: extra)) == .damaged)
    }
    #expect(refusal(even + even.suffix(40)) == .malformed)
    // Even if they arrive in a separate piece.
    var decoder = AES128GCMDecoder()
    _ = try decoder.update(even)
    _ = try decoder.use(key)
    let error = #expect(throws: SigningError.self) { _ = try decoder.update(Data([0])) }
    #expect(error?.code == .malformed)
  }

  @Test func `records that are swapped, duplicated or omitted are refused`() {
    for first in 0..<records.count {
      var doubled = records
      doubled.insert(records[first], at: first)
      #expect(refusal(header + doubled.reduce(Data(), +)) != nil)
      var shorter = records
      shorter.remove(at: first)
      #expect(refusal(header + shorter.reduce(Data(), +)) != nil)
      for second in 0..<first {
        var swapped = records
        swapped.swapAt(first, second)
        #expect(refusal(header + swapped.reduce(Data(), +)) != nil, "\(first) and \(second)")
      }
    }
  }

  @Test func `records of another content are refused`() throws {
    let salt = Data(repeating: 1, count: 16)
    let other = try ContentCoding.encrypt([content], key, recordSize: 40, salt: salt).dropFirst(Self.start)
    #expect(refusal(header + other) == .damaged)
    let mixed = records[0] + Data(other).dropFirst(40)
    #expect(refusal(header + mixed) == .damaged)
  }

  @Test func `another key is refused`() throws {
    let other = try ContentKey(Data("sixteen bytes OK".utf8), id: "key")
    #expect(ContentCoding.refusal(of: encrypted, other) == .damaged)
  }

  @Test func `misplaced padding delimiters are refused`() {
    func refusal(_ records: [[UInt8]]) -> SigningError.Code? {
      self.refusal(ContentCoding.encrypt(records: records.map { Data($0) }, key, recordSize: 20))
    }
    #expect(refusal([[5, 5, 5, 1], [6, 2]]) == nil)
    #expect(refusal([[5, 5, 1, 0], [2]]) == nil)
    #expect(refusal([[1, 0, 0, 0], [2, 0, 0]]) == nil)
    #expect(refusal([[2, 0, 0, 0]]) == nil)
    // Only zeros.
    #expect(refusal([[0, 0, 0, 0], [6, 2]]) == .malformed)
    #expect(refusal([[5, 5, 5, 1], [0, 0]]) == .malformed)
    #expect(refusal([[5, 5, 5, 1], [0]]) == .malformed)
    // No delimiter at all.
    #expect(refusal([[5, 5, 5, 3], [6, 2]]) == .malformed)
    #expect(refusal([[5, 5, 5, 1], [6, 255]]) == .malformed)
    // The delimiter of the last record before the end, and another one at the end.
    #expect(refusal([[5, 5, 5, 2], [6, 2]]) == .malformed)
    #expect(refusal([[5, 5, 5, 1], [6, 1]]) == .malformed)
    #expect(refusal([[5, 5, 5, 1]]) == .truncated)
    // A shorter record that is not the last.
    #expect(refusal([[5, 5, 5, 1], [6, 1], [5, 2]]) == .damaged)
    #expect(refusal([[5, 5, 5, 1], [6, 2], [5, 2]]) == .damaged)
    // No record, and one without content or delimiter.
    #expect(refusal([]) == .truncated)
    #expect(refusal([[]]) == .truncated)
  }

  @Test func `the bytes that are returned before an error are the beginning of the content`() throws {
    for bit in stride(from: Self.start * 8, to: encrypted.count * 8, by: 7) {
      var decoder = AES128GCMDecoder()
      var output = Data()
      #expect(throws: SigningError.self) {
        for byte in encrypted.flipping(bit) {
          output += try decoder.update(Data([byte]))
          if decoder.neededKeyID != nil { output += try decoder.use(key) }
        }
        output += try decoder.finish()
      }
      let record = (bit / 8 - Self.start) / 40
      #expect(output == content.prefix(record * 23))
    }
  }

  @Test func `a decoder that has failed fails again`() throws {
    var decoder = AES128GCMDecoder()
    _ = try decoder.update(header)
    _ = try decoder.use(key)
    let thrown = #expect(throws: SigningError.self) {
      _ = try decoder.update(Data(records[0].flipping(0)))
    }
    let error = try #require(thrown)
    #expect(error.message.contains("record 1 "))
    for _ in 0..<2 {
      #expect(throws: error) { _ = try decoder.update(encrypted) }
      #expect(throws: error) { _ = try decoder.finish() }
    }
  }

  @Test(.computesLong) func `parsing random bytes never crashes the process`() {
    var random = Seeded(3)
    for _ in 0..<20_000 {
      let junk = random.data(random.number(0...120))
      #expect(refusal(junk) != nil)
      let start = header + junk.prefix(random.number(0...120))
      #expect(refusal(start) != nil)
    }
  }
}

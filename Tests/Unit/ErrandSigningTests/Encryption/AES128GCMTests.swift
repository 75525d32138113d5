import Foundation
import TestSupport
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

@Suite struct AES128GCMTests {
  private let key: ContentKey

  init() throws { key = try ContentKey(Data("sixteen bytes ok".utf8), id: "k") }

  @Test(.computesLong)
  func `content decrypts to itself, whatever its length, its records, its padding and its pieces`()
    throws
  {
    var random = Seeded(1)
    for _ in 0..<400 {
      let recordSize = random.number(18...80)
      let content = random.data(random.number(0...300))
      let padding: RecordPadding =
        [.none, .bytes(random.number(0...200)), .toMultiple(of: random.number(1...150))].randomElement(
          using: &random)
        ?? .none
      let whole = try ContentCoding.encrypt([content], key, recordSize: recordSize, padding: padding)
      let pieces = random.pieces(of: content, upTo: random.number(1...120))
      #expect(try ContentCoding.encrypt(pieces, key, recordSize: recordSize, padding: padding) == whole)
      #expect(try ContentCoding.decrypt([whole], key) == content)
      #expect(
        try ContentCoding.decrypt(random.pieces(of: whole, upTo: random.number(1...120)), key) == content)
    }
  }

  @Test(arguments: [0, 1, 4078, 4079, 4080, 8158, 8159, 100_000], [1, 4096, 1 << 20])
  func `content whose length ends at a record's border decrypts to itself`(length: Int, piece: Int) throws {
    var random = Seeded(UInt64(length))
    let content = random.data(length)
    let encrypted = try ContentCoding.encrypt([content], key)
    let records = max(1, (length + 4078) / 4079)
    #expect(encrypted.count == 22 + length + 17 * records)
    let pieces = stride(from: 0, to: encrypted.count, by: piece).map {
      encrypted[$0..<min($0 + piece, encrypted.count)]
    }
    #expect(try ContentCoding.decrypt(pieces, key) == content)
  }

  @Test func `slices whose indices do not begin at zero are read like others`() throws {
    let content = (Data([1, 2, 3]) + Data("content".utf8)).dropFirst(3)
    let encrypted = try ContentCoding.encrypt([content], key, recordSize: 20)
    #expect(try ContentCoding.decrypt([(Data([9]) + encrypted).dropFirst()], key) == Data("content".utf8))
  }

  @Test func `the same content is encrypted differently each time, with its salt in the header`() throws {
    let encoders = try (AES128GCMEncoder(key: key).header, AES128GCMEncoder(key: key).header)
    #expect(encoders.0.salt.count == 16)
    #expect(encoders.0.salt != encoders.1.salt)
    var encoder = try AES128GCMEncoder(key: key)
    let encrypted = try encoder.finish()
    #expect(encrypted.starts(with: encoder.header.salt))
  }

  @Test func `a record is encrypted as soon as it is full and more follows`() throws {
    var encoder = try AES128GCMEncoder(key: key, recordSize: 27)
    #expect(try encoder.update(Data()).count == 22)
    #expect(try encoder.update(Data(count: 10)).count == 0)
    #expect(try encoder.update(Data(count: 1)).count == 27)
    #expect(try encoder.update(Data(count: 30)).count == 3 * 27)
    #expect(try encoder.finish().count == 18)
  }

  @Test func `no part of a record is returned before its last byte has arrived`() throws {
    let content = Data((0..<30).map(UInt8.init))
    let encrypted = try ContentCoding.encrypt([content], key, recordSize: 27)
    var decoder = AES128GCMDecoder()
    var (output, returned) = (Data(), [Int]())
    for (index, byte) in encrypted.enumerated() {
      output += try decoder.update(Data([byte]))
      if decoder.neededKeyID != nil { output += try decoder.use(key) }
      if output.count > (returned.last.map { _ in 10 * returned.count } ?? 0) { returned.append(index) }
    }
    // The last record is as long as the others, so it is complete, too.
    #expect(returned == [22 + 26, 22 + 53, 22 + 80])
    #expect(output == content)
    #expect(try decoder.finish().isEmpty)
  }

  @Test func `the encoder and the decoder hold less than one record`() throws {
    var encoder = try AES128GCMEncoder(key: key, recordSize: 100)
    var decoder = AES128GCMDecoder()
    _ = try decoder.update(encoder.update(Data()))
    _ = try decoder.use(key)
    for _ in 0..<1000 {
      let piece = try encoder.update(Data(count: 37))
      _ = try decoder.update(piece)
      #expect(encoder.heldCount <= 83)
      #expect(decoder.heldCount < 100)
    }
  }

  @Test func `a finished encoder or decoder cannot be used`() throws {
    var encoder = try AES128GCMEncoder(key: key)
    var decoder = AES128GCMDecoder()
    _ = try decoder.update(encoder.finish())
    _ = try decoder.use(key)
    _ = try decoder.finish()
    func code(_ work: () throws(SigningError) -> Data) -> SigningError.Code? {
      do {
        _ = try work()
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code { () throws(SigningError) in try encoder.update(Data([1])) } == .misused)
    #expect(code { () throws(SigningError) in try encoder.finish() } == .misused)
    #expect(code { () throws(SigningError) in try decoder.update(Data([1])) } == .misused)
    #expect(code { () throws(SigningError) in try decoder.finish() } == .misused)
    #expect(code { () throws(SigningError) in try decoder.use(key) } == .misused)
  }

  @Test func `the number of encrypted or decrypted records is limited to the safe number`() throws {
    let content = Data(count: 4)
    let encrypted = try ContentCoding.encrypt([content], key, recordSize: 18, maximumCount: 4)
    #expect(try ContentCoding.decrypt([encrypted], key, maximumCount: 4) == content)
    func refusal(_ work: () throws -> Data) -> SigningError.Code? {
      #expect(throws: SigningError.self) { try work() }?.code
    }
    #expect(refusal { try ContentCoding.decrypt([encrypted], key, maximumCount: 3) } == .tooManyRecords)
    #expect(
      refusal { try ContentCoding.encrypt([content], key, recordSize: 18, maximumCount: 3) }
        == .tooManyRecords)
    let pieces = Array(repeating: Data([0]), count: 4)
    #expect(
      refusal { try ContentCoding.encrypt(pieces, key, recordSize: 18, maximumCount: 3) } == .tooManyRecords)
    // The input that was not encrypted is kept.
    var encoder = try AES128GCMEncoder(key: key, recordSize: 18, salt: Data(count: 16), maximumCount: 3)
    #expect(throws: SigningError.self) { _ = try encoder.update(Data(count: 5)) }
    #expect(throws: SigningError.self) { _ = try encoder.update(Data()) }
    #expect(throws: SigningError.self) { _ = try encoder.finish() }
    // 2^44.5 blocks of 16 bytes: 398 TB in records of any multiple of 16.
    #expect(RecordLayout(recordSize: 4096).maximumCount == 24_879_108_095_803 / 256)
    #expect(RecordLayout(recordSize: 18).maximumCount == 24_879_108_095_803 / 2)
  }
}

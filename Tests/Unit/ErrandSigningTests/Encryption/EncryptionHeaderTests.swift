import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

@Suite struct EncryptionHeaderTests {
  private func header(recordSize: UInt32, id: [UInt8] = []) -> Data {
    Data(count: 16) + withUnsafeBytes(of: recordSize.bigEndian) { Data($0) } + [UInt8(id.count)] + id
  }

  private func refusal(recordSize: UInt32, maximum: Int = 1 << 20) -> SigningError? {
    var decoder = AES128GCMDecoder(maximumRecordSize: maximum)
    do {
      _ = try decoder.update(header(recordSize: recordSize))
      return nil
    } catch {
      return error
    }
  }

  @Test func `record sizes from 18 to the maximum are accepted, and no others`() {
    for size in [0, 1, 16, 17] as [UInt32] { #expect(refusal(recordSize: size)?.code == .malformed) }
    for size in [18, 4096, 1 << 20] as [UInt32] { #expect(refusal(recordSize: size) == nil) }
    for size in [(1 << 20) + 1, 1 << 31, .max] as [UInt32] {
      #expect(refusal(recordSize: size)?.code == .recordTooLarge)
      #expect(refusal(recordSize: size)?.message.contains("\(size) bytes") == true)
    }
    #expect(refusal(recordSize: 4096, maximum: 4095)?.code == .recordTooLarge)
    #expect(refusal(recordSize: 1 << 30, maximum: .max) == nil)
    #expect(refusal(recordSize: 1 << 30 + 1, maximum: .max)?.code == .recordTooLarge)
    #expect(refusal(recordSize: 18, maximum: -1)?.code == .recordTooLarge)
  }

  @Test func `a large record size allocates no memory`() throws {
    var decoders: [Int] = []
    for _ in 0..<100 {
      var decoder = AES128GCMDecoder(maximumRecordSize: .max)
      _ = try decoder.update(header(recordSize: 1 << 30) + Data(count: 100))
      _ = try decoder.use(try ContentKey.random())
      _ = try decoder.update(Data(count: 100))
      decoders.append(decoder.heldCapacity)
    }
    #expect(decoders.allSatisfy { $0 < 4096 })
  }

  @Test(arguments: [0, 1, 65, 254, 255])
  func `a key's name of up to 255 bytes is read back from pieces of any size`(length: Int) throws {
    var random = Seeded(UInt64(length))
    let id = random.data(length)
    let key = try ContentKey(random.data(16), id: id)
    let encrypted = try ContentCoding.encrypt([Data("a".utf8)], key)
    for piece in [1, 20, 21, 22, 500] {
      var decoder = AES128GCMDecoder()
      for start in stride(from: 0, to: encrypted.count, by: piece) where decoder.header == nil {
        #expect(start < 21 + length)
        _ = try decoder.update(encrypted[start..<min(start + piece, encrypted.count)])
      }
      #expect(decoder.neededKeyID == id)
      #expect(decoder.header == EncryptionHeader(salt: Data(count: 16), recordSize: 4096, keyID: id))
    }
  }

  @Test func `content that ends within its header is refused`() throws {
    let whole = header(recordSize: 4096, id: [1, 2, 3])
    for length in 0..<whole.count {
      var decoder = AES128GCMDecoder()
      _ = try decoder.update(whole.prefix(length))
      #expect(decoder.neededKeyID == nil)
      let error = #expect(throws: SigningError.self) { _ = try decoder.finish() }
      #expect(error?.code == .truncated)
    }
  }

  @Test func `a decoder without its key says so, and continues when it has it`() throws {
    let key = try ContentKey.random(id: "one")
    let encrypted = try ContentCoding.encrypt([Data("content".utf8)], key)
    var decoder = AES128GCMDecoder()
    #expect(throws: SigningError.self) { _ = try decoder.use(key) }
    _ = try decoder.update(encrypted.prefix(30))
    for _ in 0..<2 {
      let update = #expect(throws: SigningError.self) { _ = try decoder.update(Data([1])) }
      #expect(update?.code == .misused)
      let finish = #expect(throws: SigningError.self) { _ = try decoder.finish() }
      #expect(finish?.code == .misused)
    }
    _ = try decoder.use(key)
    _ = try decoder.update(encrypted.dropFirst(30))
    #expect(try decoder.finish() == Data("content".utf8))
  }

  @Test(arguments: [Int.min, -1, 0, 17, 1 << 30 + 1, .max])
  func `an encoder refuses a record size that no decoder accepts`(size: Int) throws {
    let key = try ContentKey.random()
    let error = #expect(throws: SigningError.self) {
      _ = try AES128GCMEncoder(key: key, recordSize: size)
    }
    #expect(error?.code == .invalidParameter)
  }
}

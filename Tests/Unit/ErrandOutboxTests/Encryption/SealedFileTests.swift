import ErrandCore
import ErrandCrypto
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite(.computesLong) struct SealedFileTests {
  private static let chunk = SealedFileFormat.chunkLength
  private let harness: StorageHarness
  private let key = OutboxKey.random()

  init() throws { harness = try StorageHarness() }

  private func stored(_ contents: Data..., id: OutboxID = .new()) async throws -> (NewRow, Request) {
    var form = MultipartForm(boundary: "B")
    for (index, content) in contents.enumerated() {
      form = form.file("f\(index)", at: try harness.file("\(UUID())", content), fileName: "f")
    }
    let request = Request.post("https://example.com", .multipart(form))
    let row = try await harness.row(request, id, key: key)
    return (row, try harness.request(row, key: key))
  }

  private func change(_ name: String, _ change: (Data) -> Data) throws {
    let file = harness.storedFile(name)
    try change(Data(contentsOf: file)).write(to: file)
  }

  private func isRefused(_ request: Request) async -> Bool {
    do {
      _ = try await request.bodyBytes()
      return false
    } catch {
      return (error as? RequestError)?.code == .fileUnreadable
    }
  }

  @Test(arguments: [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 17], [1, 1000, 1 << 20])
  func `an encrypted file decrypts to the original for any length and buffer size`(
    length: Int, room: Int
  )
    async throws
  {
    let file = try harness.file("f", .seeded(length))
    let row = try await harness.row(.put("https://example.com", .file(file)), key: key)
    let size = try Data(contentsOf: harness.storedFile(row.files[0])).count
    #expect(Int64(size) == SealedFileFormat.sealedLength(of: Int64(length)))
    #expect(SealedFileFormat.plainLength(of: Int64(size)) == Int64(length))
    #expect(row.size == Int64(row.content.count + size))
    let reader = try SealedFileReader(
      SegmentReader([.file(path: harness.storedFile(row.files[0]).path)]), "f", length: Int64(length),
      opening: ContentSeal(key), as: .file(0, of: row.id))
    #expect(reader.length == Int64(length))
    #expect(try reader.allBytes(room: room) == .seeded(length))
  }

  /// Checks only the bytes: other signs of a change, such as the modification time, are ignored.
  private func opens(_ bytes: Data, length: Int, as part: SealedPart) throws -> Bool {
    let file = try harness.file("\(UUID())", bytes)
    do {
      let reader = try SealedFileReader(
        SegmentReader([.file(path: file.path)]), "f", length: Int64(length), opening: ContentSeal(key),
        as: part)
      return try reader.allBytes().count == length
    } catch is RequestError {
      return false
    }
  }

  @Test func `the bytes of an encrypted file open only in their own place, and without extra bytes`()
    async throws
  {
    let (row, _) = try await stored(.seeded(100), .seeded(100, 2))
    let own = try row.files.map { try Data(contentsOf: harness.storedFile($0)) }
    for index in 0..<2 {
      #expect(try opens(own[index], length: 100, as: .file(index, of: row.id)))
      #expect(try !opens(own[index], length: 100, as: .file(1 - index, of: row.id)))
      #expect(try !opens(own[index], length: 100, as: .file(index, of: .new())))
      #expect(try !opens(own[index] + [0], length: 100, as: .file(index, of: row.id)))
      #expect(try !opens(own[index].dropLast(), length: 100, as: .file(index, of: row.id)))
      #expect(try !opens(own[index], length: 99, as: .file(index, of: row.id)))
    }
  }

  @Test func `a flipped bit anywhere in an encrypted file is detected`() async throws {
    let (row, request) = try await stored(.seeded(Self.chunk + 5))
    let whole = try Data(contentsOf: harness.storedFile(row.files[0]))
    var places = Array(0..<SealedFileFormat.headLength) + Array((whole.count - 40)..<whole.count)
    places += stride(from: 0, to: whole.count, by: 4001)
    let boundary = SealedFileFormat.headLength + Self.chunk
    places += boundary..<boundary + 20
    for place in places {
      try whole.flipping(place * 8 + place % 8).write(to: harness.storedFile(row.files[0]))
      #expect(await isRefused(request), "byte \(place)")
    }
    try whole.write(to: harness.storedFile(row.files[0]))
    #expect(await !isRefused(request))
  }

  @Test func `a truncated or lengthened file, or one with its chunks reordered, is refused`() async throws {
    let (row, request) = try await stored(.seeded(3 * Self.chunk))
    let name = row.files[0]
    let whole = try Data(contentsOf: harness.storedFile(name))
    let head = SealedFileFormat.headLength
    let step = Self.chunk + AESGCM.tagLength
    func file(of chunks: Int...) -> Data {
      chunks.reduce(Data(whole.prefix(head))) { $0 + whole[head + $1 * step..<head + ($1 + 1) * step] }
    }
    #expect(file(of: 0, 1, 2) == whole)
    let others: [Data] = [
      Data(), Data(whole.prefix(head)), file(of: 0), file(of: 0, 1), Data(whole.dropLast()), whole + [0],
      file(of: 1, 0, 2),
      file(of: 0, 0, 2), file(of: 0, 2, 1), file(of: 0, 1, 2, 2),
    ]
    for damaged in others {
      try change(name) { _ in damaged }
      #expect(await isRefused(request))
    }
  }

  @Test func `a truncated file is refused even by a reader that expects the shorter length`() async throws {
    let (row, _) = try await stored(.seeded(3 * Self.chunk))
    let path = harness.storedFile(row.files[0])
    let short = SealedFileFormat.sealedLength(of: Int64(2 * Self.chunk))
    try change(row.files[0]) { $0.prefix(Int(short)) }
    let reader = try SealedFileReader(
      SegmentReader([.file(path: path.path)]), "f", length: Int64(2 * Self.chunk),
      opening: ContentSeal(key), as: .file(0, of: row.id))
    let error = #expect(throws: RequestError.self) { _ = try reader.allBytes() }
    #expect(error?.code == .fileUnreadable)
  }

  /// A nonce that is used twice with one key repeats the key stream, which reveals the plaintext.
  @Test func `no nonce is used twice, neither for equal chunks nor for equal files`() async throws {
    let content = Data(count: 3 * Self.chunk)
    let (one, _) = try await stored(content, content)
    let (two, _) = try await stored(content)
    let files = try (one.files + two.files).map { try Data(contentsOf: harness.storedFile($0)) }
    #expect(files.count == 3)
    let nonces = files.map { $0.dropFirst(5 + OutboxKey.fingerprintLength).prefix(AESGCM.nonceLength) }
    #expect(Set(nonces).count == files.count)
    let chunks = files.flatMap { file in
      (0..<Int64(3)).map { index in
        let place = SealedFileFormat.chunk(index, ofFileOf: Int64(content.count))
        return file.dropFirst(Int(place.offset)).prefix(place.length)
      }
    }
    #expect(Set(chunks).count == 9)
    // The first block of a chunk is the key stream itself, because zeros were encrypted.
    #expect(Set(chunks.map { $0.prefix(16) }).count == 9)
  }

  @Test func `files cannot be decrypted in each other's place, in one request or in two`() async throws {
    let (row, request) = try await stored(.seeded(100), .seeded(100, 2))
    let (other, _) = try await stored(.seeded(100), .seeded(100, 2))
    let own = try row.files.map { try Data(contentsOf: harness.storedFile($0)) }
    try own[1].write(to: harness.storedFile(row.files[0]))
    try own[0].write(to: harness.storedFile(row.files[1]))
    #expect(await isRefused(request))
    try own[0].write(to: harness.storedFile(row.files[0]))
    try Data(contentsOf: harness.storedFile(other.files[1])).write(to: harness.storedFile(row.files[1]))
    #expect(await isRefused(request))
    try own[1].write(to: harness.storedFile(row.files[1]))
    #expect(await !isRefused(request))
  }

  @Test func `an encrypted file in the place of a plain one is not sent`() async throws {
    let plain = try harness.file("plain", .seeded(500))
    let row = try await harness.row(.put("https://example.com", .file(plain)))
    let (sealed, _) = try await stored(.seeded(500))
    try Data(contentsOf: harness.storedFile(sealed.files[0])).write(to: harness.storedFile(row.files[0]))
    let telling = harness.storage(key, acceptsPlaintext: true)
    #expect(await isRefused(try telling.request(from: row.content, of: row.id)))
  }

  @Test func `no byte of an encrypted request is on the disk as plain text`() async throws {
    let secret = "the-very-private"
    let file = try harness.file("f", Data(String(repeating: secret, count: 10_000).utf8))
    let form = MultipartForm(boundary: "\(secret)-line").field("\(secret)-name", "\(secret)-text").file(
      "a", at: file, fileName: "\(secret).txt"
    ).bytes("b", Data(String(repeating: secret, count: 10_000).utf8))
    let request = Request.post("https://\(secret).example.com/\(secret)?a=\(secret)", .multipart(form))
      .field("X-\(secret)", secret).idempotencyKey(secret)
    let row = try await harness.row(request, key: key)
    try await harness.storage(key).open()
    let all = try harness.everyByte() + row.content + row.summary
    #expect(all.count > 300_000)
    #expect(all.firstRange(of: Data(secret.utf8)) == nil)
    #expect(all.firstRange(of: key.data) == nil)
    #expect(all.firstRange(of: Data("POST".utf8)) == nil)
    // A digest of the plaintext would reveal that two outboxes hold the same file.
    let digest = SHA256Digest(hashing: try Data(contentsOf: file))
    #expect(all.firstRange(of: Data(digest.bytes)) == nil)
    #expect(row.files.allSatisfy { !$0.contains("\(digest)") })
    // The control: without a key the secret is found.
    let other = try StorageHarness()
    let plain = try await other.row(request)
    let found = try other.everyByte() + plain.content
    #expect(found.firstRange(of: Data(secret.utf8)) != nil)
  }
}

import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

@Suite struct ContentKeyTests {
  @Test func `an empty key and a name of more than 255 bytes are refused`() throws {
    let empty = #expect(throws: SigningError.self) { _ = try ContentKey(Data()) }
    #expect(empty?.code == .invalidParameter)
    let long = #expect(throws: SigningError.self) {
      _ = try ContentKey(Data([1]), id: Data(count: 256))
    }
    #expect(long?.message.contains("256") == true)
    #expect(throws: SigningError.self) {
      _ = try ContentKey.random(id: String(repeating: "ä", count: 128))
    }
    #expect(try ContentKey(Data([1]), id: Data(count: 255)).id.count == 255)
  }

  @Test func `keys of the same bytes are equal, and random keys differ`() throws {
    #expect(try ContentKey((Data([1]) + Data("abc".utf8)).dropFirst()).data == Data("abc".utf8))
    #expect(try ContentKey.random().data.count == 16)
    #expect(try ContentKey.random().data != ContentKey.random().data)
  }

  @Test func `no description shows a key`() throws {
    // Without digits, because a dump has addresses.
    let key = try ContentKey(Data("zyxwvutsrqponmlk".utf8), id: "name")
    var dumped = ""
    dump(key, to: &dumped)
    dump(ContentKeys([key]), to: &dumped)
    let all =
      "\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children) \(dumped) \(Optional(key) as Any)"
      + " \([key]) \(key.secret) \(String(reflecting: key.secret))"
    for shown in ["zyxw", "nmlk", "enl4d3", "122, 121, 120", "7a797877"] {
      #expect(!all.contains(shown), "\(all)")
    }
    #expect(key.description == "ContentKey(\"name\")")
  }

  @Test func `a key's name from outside is shown without control characters`() throws {
    let key = try ContentKey(Data([1]), id: "a\"\u{1B}[31m")
    #expect(key.description == "ContentKey(0x61221b5b33316d)")
    let error = #expect(throws: SigningError.self) {
      _ = try ContentKeys([]).contentKey(for: Data("b\n".utf8))
    }
    #expect(error?.code == .unknownKey)
    #expect(error?.message.contains("0x620a") == true)
  }

  @Test func `keys are found by their names`() throws {
    let (first, second) = try (ContentKey.random(id: "1"), ContentKey.random(id: "2"))
    let keys = ContentKeys([first, second])
    #expect(try keys.contentKey(for: Data("2".utf8)).data == second.data)
    #expect(throws: SigningError.self) { _ = try keys.contentKey(for: Data()) }
  }

  /// Counts its lookups, and suspends in each.
  private actor SlowKeys: ContentKeyProvider {
    let key: ContentKey
    var asked: [Data] = []

    init(_ key: ContentKey) { self.key = key }

    func contentKey(for id: Data) async throws -> ContentKey {
      asked.append(id)
      await Task.yield()
      return key
    }
  }

  @Test func `a key is looked up once, after the header, however the content is split`() async throws {
    let key = try ContentKey.random(id: "here")
    let content = Data("some content, in some records".utf8)
    let encrypted = try ContentCoding.encrypt([content], key, recordSize: 21)
    for length in [1, 7, 25, 26, 1000] {
      let keys = SlowKeys(key)
      var decoder = AES128GCMDecoder()
      var output = Data()
      for start in stride(from: 0, to: encrypted.count, by: length) {
        if start + length < 25 { #expect(await keys.asked.isEmpty) }
        output += try await decoder.update(
          encrypted[start..<min(start + length, encrypted.count)], keys: keys)
      }
      output += try decoder.finish()
      #expect(output == content)
      #expect(await keys.asked == [Data("here".utf8)])
    }
  }

  @Test func `content with a missing key is not decrypted`() async throws {
    let encrypted = try ContentCoding.encrypt([Data("a".utf8)], ContentKey.random(id: "theirs"))
    let keys = ContentKeys([try .random(id: "ours")])
    var decoder = AES128GCMDecoder()
    var thrown: SigningError?
    do {
      _ = try await decoder.update(encrypted, keys: keys)
    } catch {
      thrown = error as? SigningError
    }
    #expect(thrown?.code == .unknownKey)
    #expect(thrown?.message.contains("\"theirs\"") == true)
    #expect(throws: SigningError.self) { _ = try decoder.finish() }
  }

  @Test func `a whole body is encrypted and decrypted`() async throws {
    let key = try ContentKey.random(id: "ours")
    for count in [0, 1, 4079, 4080, 10_000] {
      let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
      let encrypted = try key.encrypt(body)
      #expect(try key.decrypt(encrypted) == body)
      // The first bytes are random, and one of 256 equals the only byte of a body.
      let encryptions = count == 1 ? try (0..<16).map { _ in try key.encrypt(body) } : [encrypted]
      #expect(count == 0 || encryptions.contains { !$0.starts(with: body) })
      #expect(await codeOfRefusal { _ = try key.decrypt(encrypted.dropLast()) } != nil)
    }
    let encrypted = try key.encrypt(Data("secret".utf8))
    let stranger = try ContentKey(key.data, id: "theirs")
    #expect(await codeOfRefusal { _ = try stranger.decrypt(encrypted) } == .unknownKey)
    let impostor = try ContentKey.random(id: "ours")
    #expect(await codeOfRefusal { _ = try impostor.decrypt(encrypted) } == .damaged)
    #expect(await codeOfRefusal { _ = try key.decrypt(Data()) } == .truncated)
  }
}

import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite struct ContentSealTests {
  private let key = OutboxKey.random()
  private let id = OutboxID(rawValue: "a")

  private func code(_ work: () throws -> Data) -> OutboxError.Code? {
    do {
      _ = try work()
      return nil
    } catch {
      return (error as? OutboxError)?.code
    }
  }

  @Test(arguments: [0, 1, 1000])
  func `encryption and decryption return the original data, with or without a key`(count: Int) throws {
    for seal in [ContentSeal(nil), ContentSeal(key)] {
      let wrapped = seal.wrap(.seeded(count), as: .content(of: id))
      #expect(try seal.unwrap(wrapped, as: .content(of: id)) == .seeded(count))
      #expect(ContentSeal.isSealed(wrapped) == (seal.key != nil))
    }
  }

  @Test func `plaintext that was stored before there was a key is read with one only if that is allowed`()
    throws
  {
    let wrapped = ContentSeal(nil).wrap(.seeded(10), as: .response(of: id))
    let telling = ContentSeal(key, acceptsPlaintext: true)
    #expect(try telling.unwrap(wrapped, as: .response(of: id)) == .seeded(10))
    #expect(code { try ContentSeal(key).unwrap(wrapped, as: .response(of: id)) } == .wrongKey)
  }

  @Test func `a wrong or missing key is distinguished from damage`() {
    let wrapped = ContentSeal(key).wrap(.seeded(10), as: .response(of: id))
    #expect(code { try ContentSeal(.random()).unwrap(wrapped, as: .response(of: id)) } == .wrongKey)
    #expect(code { try ContentSeal(nil).unwrap(wrapped, as: .response(of: id)) } == .wrongKey)
  }

  @Test func `a flipped bit at any place is detected, and so is every truncation`() {
    let seal = ContentSeal(key)
    let wrapped = seal.wrap(.seeded(20), as: .content(of: id))
    for bit in 0..<wrapped.count * 8 {
      #expect(code { try seal.unwrap(wrapped.flipping(bit), as: .content(of: id)) } != nil)
    }
    for length in 0..<wrapped.count {
      #expect(code { try seal.unwrap(wrapped.prefix(length), as: .content(of: id)) } == .damaged)
    }
  }

  @Test func `no part can be decrypted in the place of another`() {
    let seal = ContentSeal(key)
    let other = OutboxID(rawValue: "b")
    let parts: [SealedPart] = [
      .content(of: id), .summary(of: id), .response(of: id), .file(0, of: id), .file(1, of: id), .keyCheck,
      .content(of: other), .summary(of: other), .response(of: other), .file(0, of: other),
    ]
    for part in parts {
      let wrapped = seal.wrap(.seeded(5), as: part)
      for place in parts where place != part {
        #expect(code { try seal.unwrap(wrapped, as: place) } == .damaged, "\(part) as \(place)")
      }
    }
  }

  @Test func `the same data is encrypted differently each time`() {
    let seal = ContentSeal(key)
    #expect(seal.wrap(.seeded(50), as: .keyCheck) != seal.wrap(.seeded(50), as: .keyCheck))
  }
}

import ErrandTesting
import Foundation
import Testing

@testable import ErrandCurl

@Suite struct BodyCollectorTests {
  /// Bytes in which no part repeats.
  private static let body = Data(
    (0..<3_000_000).flatMap { number in withUnsafeBytes(of: UInt32(number)) { Array($0) } })

  @Test(arguments: 0..<40)
  func `the taken bytes are the collected bytes, for any parts and order`(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let memory = BodyMemory()
    var collector = BodyCollector(memory)
    let length = [1, 70_000, 1_000_000, 4 << 20, 4 << 20 + 1, 11_000_000].randomElement(using: &random)!
    if Bool.random(using: &random) { collector.hold(Int64(length)) }
    var (sent, taken, held) = (0, 0, [Data]())
    // Some are retained for a while, to detect a block that is reused too early.
    func take() {
      let piece = collector.take()
      held.append(piece)
      taken += piece.count
      guard Bool.random(using: &random) else { return }
      var begin = taken
      for piece in held.reversed() {
        begin -= piece.count
        #expect(piece == Self.body[begin..<begin + piece.count])
      }
      held.removeAll()
    }
    while sent < length {
      let count = min(length - sent, [1, 900, 16 << 10, 100_000].randomElement(using: &random)!)
      if !collector.hasRoom(for: count) || Int.random(in: 0..<20, using: &random) == 0 { take() }
      Self.body[sent..<sent + count].withUnsafeBytes { collector.append($0) }
      sent += count
    }
    take()
    #expect(taken == length)
    #expect(collector.isEmpty && collector.take().isEmpty)
  }

  @Test func `a retained body is taken whole, in the memory that it was collected in`() {
    let memory = BodyMemory()
    var collector = BodyCollector(memory)
    collector.hold(100_000)
    for _ in 0..<9 { Self.body.prefix(10_000).withUnsafeBytes { collector.append($0) } }
    #expect(collector.waitsForMore && !collector.isWhole)
    Self.body.prefix(10_000).withUnsafeBytes { collector.append($0) }
    #expect(!collector.waitsForMore && collector.isWhole)
    #expect(collector.take().count == 100_000)
  }

  @Test func `a small body does not retain the memory of a large one`() {
    let memory = BodyMemory()
    let block = memory.take(64 << 10)
    memory.put(block)
    var collector = BodyCollector(memory)
    Self.body.prefix(100).withUnsafeBytes { collector.append($0) }
    #expect(block.bytes.prefix(100).elementsEqual(Self.body.prefix(100)))
    let little = collector.take()
    #expect(memory.take(64 << 10) === block)
    block.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    #expect(little == Self.body.prefix(100))
  }
}

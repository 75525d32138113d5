import ErrandTesting
import Foundation
import Testing

@testable import ErrandCurl

@Suite struct BodyMemoryTests {
  @Test(arguments: 0..<50)
  func `a shelf returns each block once, never a smaller one, and keeps no more than its limit`(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    var shelf = BlockShelf<Int>()
    var sizes: [Int: Int] = [:]
    for number in 0..<500 {
      let size = Int.random(in: 64 << 10...4 << 20, using: &random)
      if Bool.random(using: &random) {
        sizes[number] = size
        for dropped in shelf.put(number, size) { #expect(sizes.removeValue(forKey: dropped) != nil) }
      } else if let block = shelf.take(size) {
        let found = sizes.removeValue(forKey: block)
        #expect(found.map { size...size + size / 4 ~= $0 } == true)
      } else {
        #expect(sizes.values.allSatisfy { !(size...size + size / 4 ~= $0) })
      }
      #expect(shelf.bytes == sizes.values.reduce(0, +) && shelf.bytes <= BlockShelf<Int>.limit)
    }
    #expect(Set(shelf.removeAll()) == Set(sizes.keys))
    #expect(shelf.isEmpty && shelf.bytes == 0)
  }

  @Test func `memory is reused after its last holder is gone, and not earlier`() {
    let memory = BodyMemory()
    var block: BodyMemory.Block? = memory.take(100_000)
    let first = ObjectIdentifier(block!)
    var holders = [memory.data(block!, count: 100_000)]
    block = nil
    holders.append(holders[0][50..<60])
    #expect(ObjectIdentifier(memory.take(100_000)) != first)
    holders.removeFirst()
    #expect(ObjectIdentifier(memory.take(100_000)) != first)
    holders.removeFirst()
    #expect(ObjectIdentifier(memory.take(100_000)) == first)
  }

  @Test func `data belongs to its holder, which may change and extend it`() {
    let memory = BodyMemory()
    let block = memory.take(100_000)
    block.bytes.initializeMemory(as: UInt8.self, repeating: 7)
    let kept = memory.data(block, count: 100_000)
    var changed = kept
    changed[0] = 1
    changed.append(contentsOf: [2, 3])
    #expect(kept == Data(repeating: 7, count: 100_000))
    #expect(changed == Data([1]) + Data(repeating: 7, count: 99_999) + Data([2, 3]))
  }

  @Test func `released memory retains nothing, not even blocks that return later`() {
    let memory = BodyMemory()
    weak var kept: BodyMemory.Block?
    weak var late: BodyMemory.Block?
    do {
      let out = memory.take(100_000)
      late = out
      do {
        let block = memory.take(200_000)
        kept = block
        memory.put(block)
      }
      #expect(kept != nil && memory.isInUse)
      memory.release()
      #expect(kept == nil && !memory.isInUse)
      memory.put(out)
    }
    #expect(late == nil)
  }
}

import Foundation
import Testing

@testable import ErrandCore

@Suite struct ChunkQueueTests {
  @Test func `a queue that is never empty keeps no places for removed chunks`() {
    var queue = ChunkQueue()
    queue.append(Data([0]))
    for index in 1..<100_000 {
      queue.append(Data([UInt8(index & 255)]))
      #expect(queue.pop() == Data([UInt8((index - 1) & 255)]))
    }
    #expect(queue.bytes == 1)
    #expect(queue.places < 200)
  }

  @Test func `chunks leave in the order in which they were added, however many wait`() {
    var queue = ChunkQueue()
    var (written, read) = (0, 0)
    for round in 0..<400 {
      for _ in 0..<(round % 7) {
        queue.append(Data("\(written)".utf8))
        written += 1
      }
      for _ in 0..<(round % 6) {
        guard let chunk = queue.pop() else { break }
        #expect(chunk == Data("\(read)".utf8))
        read += 1
      }
    }
    while let chunk = queue.pop() {
      #expect(chunk == Data("\(read)".utf8))
      read += 1
    }
    #expect(read == written)
    #expect(queue.bytes == 0)
    #expect(queue.places == 0)
  }
}

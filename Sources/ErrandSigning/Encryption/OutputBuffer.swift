#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Memory that is written once, from its beginning, and then becomes `Data` without a copy. It is not filled
/// with zeros first, because that would take a tenth of the encryption's time.
struct OutputBuffer: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private var count = 0

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Returns the next bytes, all of which the caller has to write.
  mutating func grow(by length: Int) -> UnsafeMutableRawBufferPointer {
    precondition(length <= memory.count - count)
    defer { count += length }
    return UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + length])
  }

  /// Removes the last bytes.
  mutating func shrink(by length: Int) {
    precondition(length <= count)
    count -= length
  }

  mutating func append(_ data: Data) { grow(by: data.count).copyBytes(from: data) }

  consuming func data() -> Data {
    let (start, count) = (memory.baseAddress, self.count)
    discard self
    guard let start, count > 0 else {
      start?.deallocate()
      return Data()
    }
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { start, _ in start.deallocate() })
  }
}

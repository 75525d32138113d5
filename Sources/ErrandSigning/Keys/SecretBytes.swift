#if canImport(CryptoKit)
  import Darwin
#else
  import CCrypto
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes that are overwritten before their memory is freed, and that no description shows.
final class SecretBytes: Sendable, ContiguousBytes {
  // Safe to share: the bytes do not change.
  nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

  var count: Int { memory.count }

  /// - Parameter fill: Writes all of the bytes.
  init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    memory = .allocate(byteCount: count, alignment: 1)
    fill(memory)
  }

  convenience init(_ bytes: some ContiguousBytes) {
    self.init(bytes, count: bytes.withUnsafeBytes { $0.count })
  }

  private convenience init(_ bytes: some ContiguousBytes, count: Int) {
    self.init(count: count) { memory in bytes.withUnsafeBytes { memory.copyMemory(from: $0) } }
  }

  deinit {
    Self.clear(memory)
    memory.deallocate()
  }

  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Overwrites memory in a way that the optimizer does not remove.
  static func clear(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(CryptoKit)
      memset_s(start, memory.count, 0, memory.count)
    #else
      OPENSSL_cleanse(start, memory.count)
    #endif
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  var description: String { "***" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Combines many numbers into one hash, so that two runs can be compared. It is the same in every process.
struct TraceHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x0000_0100_0000_01B3
    value ^= value >> 29
  }
}

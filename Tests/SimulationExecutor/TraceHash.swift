/// Many numbers in one, so that two runs can be compared. The same in every process.
struct TraceHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x0000_0100_0000_01B3
    value ^= value >> 29
  }
}

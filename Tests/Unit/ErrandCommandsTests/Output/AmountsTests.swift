import Testing

@testable import ErrandCommands

@Suite struct AmountsTests {
  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (1 << 30, "1.1 GB"),
  ])
  func `bytes have units`(_ count: Int64, _ text: String) {
    #expect(Amounts.bytes(count) == text)
  }

  @Test func `times have units`() {
    #expect(Amounts.time(.microseconds(1234)) == "1.2 ms")
    #expect(Amounts.time(.milliseconds(250)) == "250 ms")
    #expect(Amounts.time(.milliseconds(3210)) == "3.2 s")
    #expect(Amounts.clock(.seconds(7)) == "0:07")
    #expect(Amounts.clock(.seconds(7505)) == "2:05:05")
  }
}

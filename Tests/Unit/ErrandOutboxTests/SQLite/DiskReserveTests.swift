import Testing

@testable import ErrandOutboxSQLite

@Suite struct DiskReserveTests {
  @Test func `a large disk has a reserve of some megabytes, and a log of 2000 pages`() {
    let reserve = DiskReserve(disk: 1 << 40, pageSize: 2048)
    #expect(reserve.fileBytes == 512 << 10 && reserve.logBytes == 2 << 20)
    #expect(reserve.logPages == 2000)
  }

  @Test func `a small disk has a smaller reserve and a shorter log`() {
    let reserve = DiskReserve(disk: 4 << 20, pageSize: 2048)
    #expect(reserve.fileBytes == 256 << 10 && reserve.logBytes == 256 << 10 && reserve.logPages == 128)
    let least = DiskReserve(disk: 1 << 10, pageSize: 2048)
    #expect(least.fileBytes == 64 << 10 && least.logPages == 32)
  }

  @Test func `a file in memory has no reserve`() {
    let reserve = DiskReserve(disk: nil, pageSize: 2048)
    #expect(reserve.fileBytes == 0 && reserve.logBytes == 0 && reserve.logPages == 2000)
  }
}

import Testing

@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ChangeLogTests {
  private let log = ChangeLog()
  private let key = CacheKey("a").variant(1)
  private let date = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func `a response whose URL changes while it is stored is not used, and is removed`() async {
    let begun = log.now
    var isRemoved = false
    let isStored = await log.store(key, requestedAt: begun, at: date + 2) {
      #expect(!log.isChanged(key, after: date + 2))
      log.note("a", at: date + 1)
      return true
    } remove: {
      // By its date alone it is newer than the change.
      #expect(log.isChanged(key, after: date + 2))
      #expect(!log.isChanged(CacheKey("b"), after: date + 2))
      isRemoved = true
    }
    #expect(!isStored && isRemoved && !log.isChanged(key, after: date + 2))
    let again = await log.store(key, requestedAt: begun, at: date + 3) {
      true
    } remove: {
    }
    #expect(!again)
    #expect(
      await log.store(key, requestedAt: log.now, at: date + 3) {
        true
      } remove: {
      })
  }

  @Test func `a change and a response at the same moment have an order`() async {
    log.note("a", at: date)
    #expect(log.isChanged(key, after: date) && !log.isChanged(key, after: date + 0.1))
    #expect(
      await log.store(key, requestedAt: log.now, at: date) {
        true
      } remove: {
      })
    #expect(!log.isChanged(key, after: date) && log.isChanged(key.variant(2), after: date))
    log.note("a", at: date)
    #expect(log.isChanged(key, after: date))
  }
}

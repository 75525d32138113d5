import Testing

@testable import ErrandCore

/// A request is sent again within its attempt if the server certainly, or most likely, has not seen it yet.
@Suite struct ResendsTests {
  private func error(_ resend: ResendReason?, reached: Bool = false) -> RequestError {
    RequestError(.connectionLost, message: "", reachedServer: reached, resend: resend)
  }

  @Test func `a request that was not processed is sent again up to three times, whatever its method`() {
    var resends = Resends()
    for _ in 0..<3 {
      let again = resends.take(error(.unprocessed), isReplayable: true, mayRepeat: false)
      #expect(again)
      #expect(resends.isPending)
    }
    let last = resends.take(error(.unprocessed), isReplayable: true, mayRepeat: false)
    #expect(!last)
    #expect(resends.completed(error(.unprocessed), followed: 0).reachedServer == false)
  }

  @Test func `a repeatable request is sent again once after a stale connection`() {
    var resends = Resends()
    let stale = error(.staleConnection, reached: true)
    let first = resends.take(stale, isReplayable: true, mayRepeat: true)
    let second = resends.take(stale, isReplayable: true, mayRepeat: true)
    #expect(first)
    #expect(!second)
    // The server may have received the first one.
    #expect(resends.completed(error(nil), followed: 0).reachedServer)
  }

  @Test func `a request that must not be repeated is not sent again after a stale connection`() {
    var resends = Resends()
    let again = resends.take(error(.staleConnection, reached: true), isReplayable: true, mayRepeat: false)
    #expect(!again)
    #expect(!resends.isPending)
  }

  @Test func `a body that can be read only once is not sent again, nor is a request after any other failure`()
  {
    var resends = Resends()
    let once = resends.take(error(.unprocessed), isReplayable: false, mayRepeat: true)
    let other = resends.take(error(nil), isReplayable: true, mayRepeat: true)
    #expect(!once && !other)
  }

  @Test func `a request that follows a redirect counts as having reached a server`() {
    #expect(Resends().completed(error(nil), followed: 1).reachedServer)
    #expect(!Resends().completed(error(nil), followed: 0).reachedServer)
  }
}

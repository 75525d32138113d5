import ErrandCore
import ErrandTesting
import Testing

@testable import ErrandOutbox

struct RateBucketTests {
  /// Takes as many tokens as there are at each time, and returns when they were taken, in milliseconds.
  private func taken(_ limit: RateLimit, at times: some Sequence<Int64>) -> [Int64] {
    let bucket = RateBucket(limit)
    var (full, taken): (Int64?, [Int64]) = (nil, [])
    for now in times {
      while true {
        let (pass, next) = bucket.take(full: full, at: now)
        full = next
        guard pass.wait == .zero else { break }
        taken.append(now)
      }
    }
    return taken
  }

  @Test func `a bucket gives its burst at once, and then a token for each interval`() {
    let limit = RateLimit(requests: 10, per: .seconds(1), burst: 3)
    #expect(taken(limit, at: 5000...5350) == [5000, 5000, 5000, 5100, 5200, 5300])
  }

  @Test(arguments: 1...20)
  func `in no period are there more than the limit allows`(_ seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let (requests, burst) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...10, using: &random))
    let limit = RateLimit(requests: requests, per: .milliseconds(1000), burst: burst)
    var now: Int64 = 0
    let times = (0..<3000).map { _ -> Int64 in
      now += Int64.random(in: 0...(Int.random(in: 0..<10, using: &random) == 0 ? 400 : 5), using: &random)
      return now
    }
    let taken = taken(limit, at: times)
    for (index, start) in taken.enumerated() {
      let inPeriod = taken[index...].prefix { $0 < start + 1000 }.count
      #expect(inPeriod <= requests + burst - 1)
    }
  }

  @Test func `the wait is the shortest after which there is a token`() {
    let bucket = RateBucket(RateLimit(requests: 3, per: .seconds(1)))
    let first = bucket.take(full: nil, at: 100)
    #expect(first.pass.wait == .zero && first.pass.next == .nanoseconds(333_333_334))
    let second = bucket.take(full: first.full, at: 400)
    #expect(second.pass.wait == .nanoseconds(33_333_334) && second.full == first.full)
    #expect(bucket.take(full: first.full, at: 433).pass.wait > .zero)
    #expect(bucket.take(full: first.full, at: 434).pass.wait == .zero)
  }

  @Test func `a clock that began again empties the bucket at most`() {
    let bucket = RateBucket(RateLimit(requests: 1, per: .seconds(10), burst: 2))
    let full = bucket.take(full: nil, at: 1_000_000_000).full
    #expect(bucket.take(full: full, at: 0).pass.wait == .seconds(10))
  }

  @Test func `extreme limits do not overflow`() {
    for limit in [
      RateLimit(requests: .max, per: .zero, burst: .max),
      RateLimit(requests: 1, per: .seconds(Int64.max), burst: .max),
      RateLimit(requests: 1, per: .seconds(Int64.max)), RateLimit.unlimited,
    ] {
      let bucket = RateBucket(limit)
      for now: Int64 in [0, 1, 1_800_000_000_000] {
        let (pass, full) = bucket.take(full: nil, at: now)
        #expect(pass.wait == .zero && full > now * 1_000_000)
        #expect(bucket.take(full: .max, at: now).pass.wait > .zero)
      }
    }
  }
}

import ErrandTesting
import Testing

@testable import ErrandCore

/// Checks a condition that changes a variable, which `#expect` cannot.
func expect(
  _ condition: Bool, _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment, sourceLocation: location)
}

@Suite struct TokenBucketTests {
  private static let third = RateLimit(requests: 3, per: .seconds(1))

  @Test func `a bucket gives its burst at once, and then a token at even intervals`() {
    var bucket = TokenBucket(RateLimit(requests: 10, per: .seconds(1), burst: 5), at: .zero)
    for _ in 0..<5 { expect(bucket.take(at: .zero)) }
    expect(!bucket.take(at: .zero))
    #expect(bucket.wait(at: .zero) == .milliseconds(100))
    expect(!bucket.take(at: .milliseconds(99)))
    #expect(bucket.wait(at: .milliseconds(99)) == .milliseconds(1))
    expect(bucket.take(at: .milliseconds(100)))
    expect(!bucket.take(at: .milliseconds(199)))
    expect(bucket.take(at: .milliseconds(200)))
    #expect(!bucket.isFull(at: .milliseconds(699)))
    #expect(bucket.isFull(at: .milliseconds(700)))
    for _ in 0..<5 { expect(bucket.take(at: .seconds(100))) }
    expect(!bucket.take(at: .seconds(100)))
  }

  @Test func `a bucket is exact over weeks, also at intervals that are no whole number`() {
    var bucket = TokenBucket(Self.third, at: .zero)
    var (now, taken) = (Duration.zero, 0)
    let end = Duration.seconds(60 * 86_400)
    // Most of the time passes in long steps, which must not lose a fraction of a token.
    while now < end {
      while bucket.take(at: now) { taken += 1 }
      now += bucket.wait(at: now)
      if taken % 100 == 0 {
        // The bucket was taken from until it was empty, so nothing is lost by then.
        bucket = TokenBucket(Self.third, at: now)
        now += .seconds(3600) - .nanoseconds(1)
      }
    }
    #expect(taken > 1000)

    var steady = TokenBucket(Self.third, at: .zero)
    (now, taken) = (.zero, 0)
    for _ in 0..<300_000 {
      expect(steady.take(at: now))
      taken += 1
      now += steady.wait(at: now)
    }
    // Each wait is rounded up by less than an attosecond.
    #expect(now >= .seconds(100_000) && now < .seconds(100_000) + Duration(attoseconds: 300_000))
  }

  @Test(arguments: [7, 1000, 1_000_000_000])
  func `in any period there are at most as many tokens as the limit allows`(requests: Int) {
    var random = SeededRandom(seed: UInt64(requests))
    let limit = RateLimit(requests: requests, per: .seconds(1), burst: 3)
    var bucket = TokenBucket(limit, at: .zero)
    var (now, times) = (Duration.zero, [Duration]())
    for _ in 0..<2000 {
      if bucket.take(at: now) { times.append(now) }
      now += .nanoseconds(Int64.random(in: 0...(2_000_000_000 / Int64(requests)), using: &random))
    }
    // Between the first and the last of `burst + n` tokens, n tokens came back.
    for (index, time) in times.enumerated() where index >= 3 {
      for first in Swift.max(0, index - 50)...(index - 3) {
        let came = index - first + 1 - 3
        #expect((time - times[first]) * requests >= .seconds(1) * came)
      }
    }
  }

  @Test func `extreme limits and times neither trap nor block for ever`() {
    let limits = [
      RateLimit(requests: .max, per: .zero, burst: .max),
      RateLimit(requests: .min, per: .seconds(-5), burst: .min),
      RateLimit(requests: 1, per: Duration(attoseconds: .max), burst: .max), .unlimited,
      RateLimit(requests: .max, per: Duration(attoseconds: .max), burst: 1),
      RateLimit(requests: 0, per: .nanoseconds(1)),
    ]
    let times = [
      Duration(attoseconds: .min), .seconds(-1), .zero, Duration(attoseconds: 1), .seconds(1),
      .longest, Duration(attoseconds: .max), .zero, Duration(attoseconds: .min), Duration(attoseconds: .max),
    ]
    for limit in limits {
      for other in limits {
        var bucket = TokenBucket(limit, at: times[0])
        for time in times {
          for _ in 0..<3 { _ = bucket.take(at: time) }
          #expect(bucket.wait(at: time) >= .zero)
          #expect(bucket.wait(at: time) <= limit.per || limit.requests == 1)
          bucket.setLimit(other, at: time)
          bucket.putBack()
          #expect(bucket.wait(at: time) == .zero || other.burst == 1)
          bucket.setLimit(limit, at: time)
        }
      }
    }
    #expect(limits[1] == RateLimit(requests: 1, per: .microseconds(1), burst: 1))
  }

  @Test func `a small step back of the time gives no token, and a clock that was set does not block`() {
    var bucket = TokenBucket(RateLimit(requests: 1, per: .seconds(10), burst: 2), at: .seconds(100))
    expect(bucket.take(at: .seconds(100)))
    expect(bucket.take(at: .seconds(99)))
    expect(!bucket.take(at: .seconds(99)))
    #expect(bucket.wait(at: .seconds(99)) == .seconds(11))
    expect(!bucket.take(at: .seconds(109)))
    // An empty bucket fills in 20 s.
    expect(!bucket.take(at: .seconds(-1000)))
    #expect(bucket.wait(at: .seconds(-1000)) == .seconds(1))
    expect(bucket.take(at: .seconds(-999)))
  }

  @Test func `a token that is put back can be taken again, and a full bucket stays full`() {
    var bucket = TokenBucket(Self.third, at: .zero)
    bucket.putBack()
    expect(bucket.take(at: .zero))
    expect(!bucket.take(at: .zero))
    bucket.putBack()
    expect(bucket.take(at: .zero))
    expect(!bucket.take(at: .zero))
  }

  @Test func `a changed limit keeps the missing tokens`() {
    var bucket = TokenBucket(RateLimit(requests: 1, per: .seconds(60), burst: 4), at: .zero)
    for _ in 0..<3 { expect(bucket.take(at: .zero)) }
    bucket.setLimit(RateLimit(requests: 7, per: .seconds(1), burst: 4), at: .zero)
    expect(bucket.take(at: .zero))
    expect(!bucket.take(at: .zero))
    for _ in 0..<1000 {
      bucket.setLimit(RateLimit(requests: 3, per: .milliseconds(700), burst: 4), at: .zero)
      bucket.setLimit(RateLimit(requests: 1, per: .seconds(60), burst: 4), at: .zero)
    }
    expect(!bucket.take(at: .seconds(60) - .nanoseconds(1)))
    expect(bucket.take(at: .seconds(60)))
    bucket.setLimit(RateLimit(requests: 1, per: .seconds(60), burst: 1), at: .seconds(60))
    #expect(bucket.wait(at: .seconds(60)) == .seconds(60))
  }
}

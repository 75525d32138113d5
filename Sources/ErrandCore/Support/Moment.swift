#if canImport(Musl)
  import Musl
#elseif canImport(Glibc)
  import Glibc
#endif

/// A point in time of the system's continuous clock. It is for times that are used at each request.
///
/// The compiler does not know the layout of `ContinuousClock.Instant`. So it copies, stores and compares each of them
/// through functions that it looks up, and with it every value that contains one.
package struct Moment: Hashable, Comparable, Sendable {
  private let nanoseconds: Int64

  #if os(Linux)
    /// The present time. `ContinuousClock.now` reads the same clock at four times the cost.
    package static var now: Moment {
      var time = timespec()
      unsafe clock_gettime(CLOCK_BOOTTIME, &time)
      return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
  #else
    private static let first = ContinuousClock.now

    /// The present time.
    package static var now: Moment { Moment(nanoseconds: first.duration(to: .now).wholeNanoseconds) }
  #endif

  package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns the time after the duration; at most the last moment there is, about 292 years from now.
  package static func + (moment: Moment, duration: Duration) -> Moment {
    moment.adding(duration.wholeNanoseconds)
  }

  package static func - (left: Moment, right: Moment) -> Duration {
    // `Duration.nanoseconds` does the same by a call.
    Duration(attoseconds: (Int128(left.nanoseconds) - Int128(right.nanoseconds)) * 1_000_000_000)
  }

  package func advanced(byMilliseconds milliseconds: Int) -> Moment {
    let (nanoseconds, isTooLong) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
    return adding(isTooLong ? (milliseconds < 0 ? .min : .max) : nanoseconds)
  }

  /// Returns the whole milliseconds that have passed since an earlier time.
  package func milliseconds(since earlier: Moment) -> Int {
    let (difference, isTooLong) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return Int((isTooLong ? (nanoseconds < 0 ? .min : .max) : difference) / 1_000_000)
  }

  private func adding(_ more: Int64) -> Moment {
    let (sum, isTooLate) = nanoseconds.addingReportingOverflow(more)
    return Moment(nanoseconds: isTooLate ? (more < 0 ? .min : .max) : sum)
  }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}

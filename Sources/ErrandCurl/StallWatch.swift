import ErrandCore

/// An element that a `StallWatch` holds.
protocol StallWatched: AnyObject {
  /// The element's place in the watch, or nil. Only the watch sets it.
  var stallPlace: StallPlace? { get set }
}

/// The place of an element: a bucket, and the index there.
struct StallPlace {
  fileprivate var bucket: Int
  fileprivate var index: Int
}

/// Decides when a transfer is checked next, because it may have stalled by then. Pure.
enum StallCheck {
  /// - Parameters:
  ///   - moved: The time at which the transfer last made progress.
  ///   - timeout: The time-out of the transfer.
  ///   - isSending: True while the body is sent, when progress is noticed only by checking.
  /// - Returns: The time of the next check; nil if the transfer has stalled.
  static func next(
    after moved: Moment, _ timeout: Duration, now: Moment, isSending: Bool
  ) -> Moment? {
    let end = moved + timeout
    // A transfer that has just made progress is checked again, whatever its time-out.
    guard end > now || moved == now else { return nil }
    return isSending ? min(end, now + timeout / 8) : end
  }
}

/// Schedules the checks of elements, so that not all of them are checked each time.
///
/// An element stays in its place while it makes progress. When it is due, the caller checks its last progress
/// and inserts it again. Times are rounded up to a fraction of the time-out, so that hundreds of elements are
/// checked together. So an element costs a constant for each time-out that it lasts, and all elements cause
/// at most 128 wake-ups in that time.
struct StallWatch<Element: StallWatched> {
  private struct Bucket {
    /// Nil while the bucket is free.
    var tick: Int?
    var elements: [Element] = []
  }

  private var buckets: [Bucket] = []
  private var free: [Int] = []
  /// The ticks that have a bucket, in descending order. There are few, and new ones are nearly always the latest.
  private var ticks: [(tick: Int, bucket: Int)] = []
  /// The bucket of the last insertion, which most elements share.
  private var latest = 0

  /// - Parameters:
  ///   - due: The time of the check, in milliseconds of any clock.
  ///   - timeout: The element's time-out in milliseconds. The check may be late by a 64th of it.
  mutating func insert(_ element: Element, due: Int, timeout: Int) {
    let grain = Self.grain(of: timeout)
    let tick = (due + grain - 1) & ~(grain - 1)
    let bucket = bucket(of: tick)
    element.stallPlace = StallPlace(bucket: bucket, index: buckets[bucket].elements.count)
    buckets[bucket].elements.append(element)
  }

  mutating func remove(_ element: Element) {
    guard let place = element.stallPlace else { return }
    element.stallPlace = nil
    let last = buckets[place.bucket].elements.removeLast()
    guard last !== element else { return }
    buckets[place.bucket].elements[place.index] = last
    last.stallPlace = place
  }

  /// Returns the time of the next check, or nil if no check is due.
  mutating func next() -> Int? {
    while let (tick, bucket) = ticks.last {
      guard buckets[bucket].elements.isEmpty else { return tick }
      _ = takeFirst()
    }
    return nil
  }

  /// Removes and returns the elements that are due.
  mutating func takeDue(at now: Int) -> [Element] {
    var due: [Element] = []
    while let tick = ticks.last?.tick, tick <= now { due += takeFirst() }
    for element in due { element.stallPlace = nil }
    return due
  }

  /// Returns the largest power of two that is at most a 64th part of the time-out.
  private static func grain(of timeout: Int) -> Int {
    let part = max(1, timeout / 64)
    return 1 << (Int.bitWidth - 1 - part.leadingZeroBitCount)
  }

  private mutating func bucket(of tick: Int) -> Int {
    if latest < buckets.count, buckets[latest].tick == tick { return latest }
    let place = ticks.firstIndex { $0.tick <= tick } ?? ticks.endIndex
    if place == ticks.endIndex || ticks[place].tick < tick {
      let bucket = free.popLast() ?? buckets.count
      if bucket == buckets.count { buckets.append(Bucket()) }
      buckets[bucket].tick = tick
      ticks.insert((tick, bucket), at: place)
    }
    latest = ticks[place].bucket
    return latest
  }

  private mutating func takeFirst() -> [Element] {
    guard let bucket = ticks.popLast()?.bucket else { return [] }
    free.append(bucket)
    buckets[bucket].tick = nil
    // Usually no element is left, and the next tick uses the memory of a few.
    guard !buckets[bucket].elements.isEmpty || buckets[bucket].elements.capacity > 64 else { return [] }
    defer { buckets[bucket].elements = [] }
    return buckets[bucket].elements
  }
}

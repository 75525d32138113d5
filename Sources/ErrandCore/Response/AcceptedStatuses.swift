/// The statuses that a request accepts, as ranges in ascending order.
///
/// Nearly all requests accept one range, which needs no memory beyond the value.
public struct AcceptedStatuses: Sendable, Hashable {
  private let first: Range<Int>
  private let others: [Range<Int>]

  /// Every 2xx.
  package static let success = AcceptedStatuses(200..<300)

  /// Creates the statuses of a sequence, such as `[200, 404]` or `200..<400`.
  package init(_ statuses: some Sequence<Int>) {
    if let range = statuses as? Range<Int> {
      (first, others) = (range, [])
      return
    }
    if let range = statuses as? ClosedRange<Int> {
      (first, others) = (range.lowerBound..<min(range.upperBound, Int.max - 1) + 1, [])
      return
    }
    var ranges: [Range<Int>] = []
    for status in Set(statuses).sorted() where status < Int.max {
      if let last = ranges.last, last.upperBound == status {
        ranges[ranges.count - 1] = last.lowerBound..<status + 1
      } else {
        ranges.append(status..<status + 1)
      }
    }
    first = ranges.first ?? 0..<0
    others = Array(ranges.dropFirst())
  }

  /// Creates the statuses between the bounds of ranges: the first status of each, and the one after its last.
  /// - Returns: Nil, unless the bounds are those of at least one range, in ascending order.
  package init?(bounds: [Int]) {
    let isAscending = zip(bounds, bounds.dropFirst()).allSatisfy(<=)
    guard !bounds.isEmpty, bounds.count.isMultiple(of: 2), isAscending else { return nil }
    let ranges = stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]..<bounds[$0 + 1] }
    (first, others) = (ranges[0], Array(ranges.dropFirst()))
  }

  /// The bounds of the ranges: the first status of each, and the one after its last.
  package var bounds: [Int] { ranges.flatMap { [$0.lowerBound, $0.upperBound] } }

  private var ranges: [Range<Int>] { [first] + others }

  /// Returns true if a status is accepted.
  public func contains(_ status: HTTPStatus) -> Bool {
    first.contains(status.code) || others.contains { $0.contains(status.code) }
  }
}

extension AcceptedStatuses: CustomStringConvertible {
  /// The statuses in words, such as `200 to 299 or 404`.
  public var description: String {
    let texts = ranges.filter { !$0.isEmpty }.map { range in
      range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound - 1)"
    }
    return texts.isEmpty ? "no status" : texts.joined(separator: " or ")
  }
}

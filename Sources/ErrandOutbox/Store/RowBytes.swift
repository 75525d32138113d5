/// What a row takes of the disk, as the caps count it.
package enum RowBytes {
  /// About what the columns of a row take, and its places in the indices, once it is over. As long as it is not, its size is
  /// what counts.
  package static let ofRow: Int64 = 512

  /// - Parameters:
  ///   - size: The bytes of its content, with its files.
  ///   - answer: The bytes of the answer that is kept.
  package static func count(_ state: OutboxState, size: Int64, answer: Int) -> Int64 {
    switch state {
    case .stored, .trying: size
    case .setAside: size + Int64(answer)
    case .delivered: ofRow + Int64(answer)
    // All of it is there still: it may be tried again by hand.
    case .expired: ofRow + size
    case .dropped: ofRow
    }
  }
}

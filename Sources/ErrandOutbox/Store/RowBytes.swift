/// The bytes that a row takes on disk, as the caps count them.
package enum RowBytes {
  /// About the bytes of the columns and index entries of a row that is delivered, expired or dropped. Rows in
  /// other states count without them.
  package static let ofRow: Int64 = 512

  /// - Parameters:
  ///   - size: The number of bytes of the content, files included.
  ///   - response: The number of bytes of the stored response.
  package static func count(_ state: OutboxState, size: Int64, response: Int) -> Int64 {
    switch state {
    case .stored, .attempting: size
    case .deadLettered: size + Int64(response)
    case .delivered: ofRow + Int64(response)
    // The content is still there: the row may be retried by hand.
    case .expired: ofRow + size
    case .dropped: ofRow
    }
  }
}

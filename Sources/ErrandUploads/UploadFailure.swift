/// The reasons why an upload cannot be completed.
package enum UploadFailure: Error, Sendable, Hashable {
  case tooLarge(limit: Int64)
  case tooSmall(limit: Int64)
  case limitsContradict(least: Int64, most: Int64)
  case pieceTooLarge(Int64)
  case offsetBeyondEnd(Int64)
  case offsetBeyondSent(Int64, sent: Int64)
  case otherLength(Int64)
  case offsetDecreased(from: Int64, to: Int64)
  case conflicts
  case gone
  case outcomeUnknown
  case noSupport
  case noOffset
  case noLocation
  case otherTusVersion
  case inconsistent
  case damaged

  /// True if another attempt would end in the same way, because of a limit of the server.
  package var isLasting: Bool {
    switch self {
    case .tooLarge, .tooSmall, .limitsContradict, .pieceTooLarge, .noSupport, .otherTusVersion,
      .outcomeUnknown:
      true
    case .offsetBeyondEnd, .offsetBeyondSent, .otherLength, .offsetDecreased, .conflicts, .gone, .noOffset,
      .noLocation, .inconsistent, .damaged:
      false
    }
  }

  func message(of length: Int64) -> String {
    switch self {
    case .tooLarge(let limit): "the upload has \(length) bytes, but the server accepts at most \(limit)"
    case .tooSmall(let limit): "the upload has \(length) bytes, but the server accepts no less than \(limit)"
    case .limitsContradict(let least, let most):
      "the server wants at least \(least) bytes in a request, but a request may have at most \(most)"
    case .pieceTooLarge(let size): "the server refused a request with \(size) bytes as too large (413)"
    case .offsetBeyondEnd(let offset):
      "the server reported \(offset) bytes, but the upload has only \(length)"
    case .offsetBeyondSent(let offset, let sent):
      "the server confirmed \(offset) bytes of the upload, but only \(sent) were sent"
    case .otherLength(let other): "the server expects \(other) bytes, but the upload has \(length)"
    case .offsetDecreased(let from, let to):
      "the server confirmed \(from) bytes of the upload, and later only \(to), several times"
    case .conflicts: "the server refused its own offset several times"
    case .gone: "the server lost the upload several times"
    case .outcomeUnknown:
      "the server no longer knows the upload, whose last bytes were sent: it may be complete. Check that before you "
        + "upload again"
    case .noSupport: "the server did not create a resumable upload"
    case .noOffset: "the server did not say how much of the upload it has (Upload-Offset)"
    case .noLocation: "the server did not name the URL of the upload (Location)"
    case .otherTusVersion: "the server does not speak version 1.0.0 of tus, or names several versions"
    case .inconsistent: "the server expects another length of the upload than before"
    case .damaged: "the bytes arrived damaged several times"
    }
  }
}

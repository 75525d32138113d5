import CCurl

/// Converts to and from libcurl's constants.
extension SocketWatch.Interest {
  /// - Parameter what: One of `CURL_POLL_…`.
  init(poll what: Int32) {
    self =
      switch what {
      case CURL_POLL_IN: .read
      case CURL_POLL_OUT: .write
      case CURL_POLL_INOUT: [.read, .write]
      default: []
      }
  }

  /// The interest as a mask of `CURL_CSELECT_…`.
  var selected: Int32 {
    var mask: Int32 = 0
    if contains(.read) { mask |= CURL_CSELECT_IN }
    if contains(.write) { mask |= CURL_CSELECT_OUT }
    if contains(.failure) { mask |= CURL_CSELECT_ERR }
    return mask
  }
}

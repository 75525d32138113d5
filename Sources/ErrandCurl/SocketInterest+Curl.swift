import CCurl

/// What is wanted of a socket and what it is ready for, as libcurl says it.
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

  /// Of `CURL_CSELECT_…`.
  var selected: Int32 {
    var mask: Int32 = 0
    if contains(.read) { mask |= CURL_CSELECT_IN }
    if contains(.write) { mask |= CURL_CSELECT_OUT }
    if contains(.failure) { mask |= CURL_CSELECT_ERR }
    return mask
  }
}

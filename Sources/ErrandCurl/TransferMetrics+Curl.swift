import CCurl
import ErrandCore

extension TransferMetrics {
  /// Makes metrics of libcurl's times, which are all counted from the start; a step is the difference of two.
  init(_ easy: UnsafeMutableRawPointer, version: HTTPVersion?, firstByte: Duration?) {
    self.init()
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = errand_getinfo_offset(easy, info)
      return microseconds > 0 ? .microseconds(Int64(microseconds)) : nil
    }
    let isReused = errand_getinfo_long(easy, CURLINFO_NUM_CONNECTS) == 0
    connectionReused = isReused
    if !isReused {
      dns = time(CURLINFO_NAMELOOKUP_TIME_T)
      let connected = time(CURLINFO_CONNECT_TIME_T)
      if let connected { connect = max(.zero, connected - (dns ?? .zero)) }
      if let secured = time(CURLINFO_APPCONNECT_TIME_T) { tls = max(.zero, secured - (connected ?? .zero)) }
    }
    // libcurl's own time would include the first byte of an upload.
    self.firstByte = firstByte
    bytesSent = Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T))
    bytesReceived = Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
    httpVersion = version
  }
}

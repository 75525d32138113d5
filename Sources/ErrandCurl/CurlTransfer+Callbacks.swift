import CCurl
import ErrandCore

/// What libcurl calls, on the engine's thread.
extension CurlTransfer {
  static func setCallbacks(_ easy: UnsafeMutableRawPointer) {
    errand_setopt_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
      CurlTransfer.from(user).receiveField(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    errand_setopt_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
      CurlTransfer.from(user).receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    errand_setopt_data_callback(easy, CURLOPT_READFUNCTION) { bytes, size, count, user in
      CurlTransfer.from(user).send(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
    errand_setopt_progress_callback(easy) { user, _, _, _, sent in
      CurlTransfer.from(user).report(Int64(sent))
    }
  }

  static func setConnectionCallback(_ easy: UnsafeMutableRawPointer, isOn: Bool) {
    guard isOn else { return errand_setopt_prereq_callback(easy, nil) }
    errand_setopt_prereq_callback(easy) { user, remoteAddress, _, remotePort, localPort in
      let transfer = CurlTransfer.from(user)
      let ends = SharedConnection.Ends(
        remoteAddress: errand_hash(remoteAddress), remotePort: remotePort, localPort: localPort)
      if localPort > 0 { transfer.engine.isUsed(ends, by: transfer) }
      return Int32(CURL_PREREQFUNC_OK)
    }
  }

  private static func from(_ user: UnsafeMutableRawPointer?) -> CurlTransfer {
    Unmanaged<CurlTransfer>.fromOpaque(user!).takeUnretainedValue()
  }

  private func receiveField(_ line: UnsafeRawBufferPointer) -> Int {
    hasReceived()
    if firstByte == nil { firstByte = ContinuousClock.now - started }
    guard case .yes = answer.takeField(line) else { return 0 }
    touch()
    return line.count
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    hasReceived()
    switch answer.takeBody(bytes, of: self) {
    case .yes:
      touch()
      return bytes.count
    case .later:
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    case .no: return 0
    }
  }

  private func hasReceived() {
    lastMove = engine.now
    connection?.lastReceived = lastMove
  }

  func touch() {
    guard !isTouched else { return }
    isTouched = true
    engine.touch(self)
  }

  private func send(_ room: UnsafeMutableRawBufferPointer) -> Int {
    lastMove = engine.now
    do {
      return try upload.read(into: room)
    } catch {
      answer.fail(error)
      return Int(CURL_READFUNC_ABORT)
    }
  }

  private func report(_ sent: Int64) -> Int32 {
    if sent > reportedSent {
      reportedSent = sent
      exchange.didSend(total: sent)
    }
    return 0
  }
}

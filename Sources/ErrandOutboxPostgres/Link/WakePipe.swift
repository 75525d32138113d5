#if Postgres
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Ends a thread's wait in `poll`, from any other thread.
  final class WakePipe: Sendable {
    let reading: Int32
    private let writing: Int32

    /// Returns nil if the process has no descriptor left.
    init?() {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return nil }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      (reading, writing) = (ends[0], ends[1])
    }

    deinit {
      close(reading)
      close(writing)
    }

    func wake() {
      var byte: UInt8 = 1
      _ = write(writing, &byte, 1)
    }

    /// Discards the bytes that `wake` has written.
    func drain() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while read(reading, &bytes, bytes.count) > 0 {}
    }
  }
#endif

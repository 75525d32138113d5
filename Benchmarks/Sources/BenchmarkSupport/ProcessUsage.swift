#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The resources that this process has used.
public enum ProcessUsage {
  /// The processor time of the process in seconds, including the system's time on its behalf.
  public static var cpuSeconds: Double {
    let usage = own
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// The peak memory of the process in bytes.
  ///
  /// On Linux this is VmHWM instead of `ru_maxrss`, because a child's `ru_maxrss` begins with that of its parent.
  public static var peakMemory: Int {
    #if os(Linux)
      guard let file = fopen("/proc/self/status", "r") else { return 0 }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard text.hasPrefix("VmHWM:") else { continue }
        return Int(text.filter(\.isNumber)).map { $0 << 10 } ?? 0
      }
      return 0
    #else
      return own.ru_maxrss
    #endif
  }

  /// The number of context switches of its threads, both voluntary and involuntary.
  public static var contextSwitches: Int {
    let usage = own
    return Int(usage.ru_nvcsw) + Int(usage.ru_nivcsw)
  }

  /// The number of times that one of its threads began to wait. After each wait, something had to wake it.
  public static var waits: Int { Int(own.ru_nvcsw) }

  /// The current memory of the process in bytes; nil on systems without `/proc`.
  public static var memory: Int? {
    #if os(Linux)
      guard let file = fopen("/proc/self/statm", "r") else { return nil }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      guard fgets(&line, Int32(line.count), file) != nil else { return nil }
      let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(separator: " ")
      return words.count > 1 ? Int(words[1]).map { $0 * Int(getpagesize()) } : nil
    #else
      return nil
    #endif
  }

  /// Raises the limit of open files to at least this number, if that is permitted.
  public static func allowFiles(_ count: Int) {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    setrlimit(resource, &limit)
  }

  private static var own: rusage {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CallLog {
  /// The log on standard error that the environment variable `ERRAND_LOG` enables, with the value `info` or
  /// `debug`; nil without it.
  static let ofEnvironment: CallLog? = {
    guard let text = unsafe getenv("ERRAND_LOG"), let level = unsafe Level(rawValue: String(cString: text))
    else { return nil }
    return CallLog(level: level) { line in
      // One system call for each line, so that the lines of several threads do not mix.
      let bytes = Array("\(line)\n".utf8)
      unsafe bytes.withUnsafeBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
      }
    }
  }()
}

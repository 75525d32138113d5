#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CallLog {
  /// The log that the environment asks for with `ERRAND_LOG=info` or `ERRAND_LOG=debug`, on standard error; nil
  /// without that.
  static let ofEnvironment: CallLog? = {
    guard let text = unsafe getenv("ERRAND_LOG"), let level = unsafe Level(rawValue: String(cString: text))
    else { return nil }
    return CallLog(level: level) { line in
      // One call for each line, so that the lines of several threads do not mix.
      let bytes = Array("\(line)\n".utf8)
      unsafe bytes.withUnsafeBytes { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
      }
    }
  }()
}

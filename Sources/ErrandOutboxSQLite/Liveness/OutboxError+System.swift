import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension OutboxError {
  /// Makes an error with the reason from `errno`. Must be called right after the call that failed.
  static func system(_ what: String, _ path: String) -> OutboxError {
    let code = errno
    let reason = String(cString: strerror(code))
    switch code {
    case ENOSPC, EDQUOT:
      return OutboxError(.diskFull, "\(what) \(path): \(reason); free some room, and ask again")
    case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EEXIST: return .notWritable(path, reason)
    default: return OutboxError(.failed, "\(what) \(path): \(reason)")
    }
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FileDescriptor {
  /// Sets the file's modification date. A failure is ignored.
  func stamp(_ date: Date) {
    let whole = date.timeIntervalSince1970.rounded(.down)
    let nanoseconds = (date.timeIntervalSince1970 - whole) * 1e9
    let time = timespec(tv_sec: time_t(whole), tv_nsec: Int(nanoseconds))
    _ = unsafe futimens(raw, [time, time])
  }
}

import ErrandCore
import ErrandOutbox

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An instant as a store records it: by a clock that does not jump, and by a clock that survives a restart of
/// the machine.
package struct StoreTime: Sendable, Hashable {
  /// Milliseconds since the machine started, sleep included. This clock cannot be set.
  package var ticks: Int64
  /// Milliseconds since 1970, by the wall clock.
  package var wall: Int64
  /// Identifies the boot of the machine at which the ticks began.
  package var boot: String

  package init(ticks: Int64, wall: Int64, boot: String) {
    self.ticks = ticks
    self.wall = wall
    self.boot = boot
  }
}

extension StoreTime {
  /// Returns the time by the system's clocks.
  package static func now() -> StoreTime {
    #if canImport(Darwin)
      let ticks = milliseconds(CLOCK_MONOTONIC)
    #else
      let ticks = milliseconds(CLOCK_BOOTTIME)
    #endif
    return StoreTime(ticks: ticks, wall: milliseconds(CLOCK_REALTIME), boot: boot.name)
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  private static let boot = BootName { read() }

  /// Returns an empty text if the system does not provide the id. The next call then reads it again.
  private static func read() -> String {
    #if canImport(Darwin)
      var buffer = [CChar](repeating: 0, count: 64)
      var size = buffer.count
      guard sysctlbyname("kern.bootsessionuuid", &buffer, &size, nil, 0) == 0 else { return "" }
      return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
      guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
      defer { fclose(file) }
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = fread(&buffer, 1, buffer.count, file)
      return String(decoding: buffer[..<count].prefix { $0 > 32 }, as: UTF8.self)
    #endif
  }
}

/// Identifies the machine's boot. It is read once. A failed read is repeated the next time, because the
/// process may have lacked file descriptors.
final class BootName: Sendable {
  private let known = Locked<String?>(nil)
  private let read: @Sendable () -> String

  init(_ read: @escaping @Sendable () -> String) { self.read = read }

  var name: String {
    if let known = known.withLock({ $0 }) { return known }
    let found = read()
    if !found.isEmpty { known.withLock { $0 = found } }
    return found
  }
}

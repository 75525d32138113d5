import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension StoreTime {
  /// Returns the time by the system's clocks.
  public static func now() -> StoreTime {
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

  /// Returns an empty text if the system does not say; it is asked again the next time then.
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

/// Identifies the machine's start, read once. A failed read is repeated the next time: it may have failed for
/// lack of descriptors.
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

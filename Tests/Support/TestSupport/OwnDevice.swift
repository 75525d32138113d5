import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A character device that belongs to one test. A failing test may replace a device, and must not do that to
/// one of the machine's.
public final class OwnDevice {
  public let path: String
  private var master: Int32
  private let slave: Int32

  public init() throws {
    var (master, slave) = (Int32(-1), Int32(-1))
    guard openpty(&master, &slave, nil, nil, nil) == 0, let name = ttyname(slave) else {
      throw POSIXError(.EIO)
    }
    path = String(cString: name)
    (self.master, self.slave) = (master, slave)
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
  }

  deinit {
    hangUp()
    close(slave)
  }

  /// True if its path still names the device.
  public var isDevice: Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFCHR
  }

  /// Returns the bytes that were written since the last call, at most 4 KiB.
  public func written() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(master, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// From now on the device cannot be written to.
  public func hangUp() {
    if master >= 0 { close(master) }
    master = -1
  }
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Types of Darwin with the name of a function, and the types that they need: C allows that in one module,
// Swift does not.

public func absent() -> Never { fatalError("declared only") }

public typealias blkcnt_t = Int64
public typealias blksize_t = Int32
public typealias dev_t = Int32
public typealias fsblkcnt_t = UInt32
public typealias gid_t = UInt32
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias off_t = Int64
public typealias time_t = Int
public typealias uid_t = UInt32

@frozen public struct timespec: Sendable {
  public var tv_sec: time_t
  public var tv_nsec: Int
  public init() { absent() }
  public init(tv_sec: time_t, tv_nsec: Int) { absent() }
}

@frozen public struct stat: Sendable {
  public var st_dev: dev_t
  public var st_mode: mode_t
  public var st_nlink: nlink_t
  public var st_ino: ino_t
  public var st_uid: uid_t
  public var st_gid: gid_t
  public var st_atimespec: timespec
  public var st_mtimespec: timespec
  public var st_ctimespec: timespec
  public var st_birthtimespec: timespec
  public var st_size: off_t
  public var st_blocks: blkcnt_t
  public var st_blksize: blksize_t
  public init() { absent() }
}

@frozen public struct sigaction: Sendable {
  public init() { absent() }
}

@frozen public struct statvfs: Sendable {
  public var f_bsize: UInt
  public var f_frsize: UInt
  public var f_blocks: fsblkcnt_t
  public var f_bfree: fsblkcnt_t
  public var f_bavail: fsblkcnt_t
  public init() { absent() }
}

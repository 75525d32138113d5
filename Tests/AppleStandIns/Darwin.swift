// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of Darwin that this package uses, with the types that Apple's headers and overlay give it.

@_exported public import DarwinTypes

// MARK: Types

public typealias pid_t = Int32
public typealias fsfilcnt_t = UInt32
public typealias socklen_t = UInt32
public typealias sa_family_t = UInt8
public typealias in_port_t = UInt16
public typealias in_addr_t = UInt32
public typealias nfds_t = UInt32
public typealias sigset_t = UInt32
public typealias useconds_t = UInt32
public typealias sig_t = @convention(c) (Int32) -> Void

@frozen public struct clockid_t: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

@frozen public struct pollfd: Sendable {
  public var fd: Int32
  public var events: Int16
  public var revents: Int16
  public init() { absent() }
  public init(fd: Int32, events: Int16, revents: Int16) { absent() }
}

@frozen public struct winsize: Sendable {
  public var ws_row: UInt16
  public var ws_col: UInt16
  public var ws_xpixel: UInt16
  public var ws_ypixel: UInt16
  public init() { absent() }
}

@frozen public struct linger: Sendable {
  public var l_onoff: Int32
  public var l_linger: Int32
  public init() { absent() }
  public init(l_onoff: Int32, l_linger: Int32) { absent() }
}

@frozen public struct sockaddr: Sendable {
  public var sa_len: UInt8
  public var sa_family: sa_family_t
  public init() { absent() }
}

@frozen public struct in_addr: Sendable {
  public var s_addr: in_addr_t
  public init() { absent() }
  public init(s_addr: in_addr_t) { absent() }
}

@frozen public struct in6_addr: Sendable {
  public var __u6_addr: (UInt64, UInt64)
  public init() { absent() }
}

@frozen public struct sockaddr_in: Sendable {
  public var sin_len: UInt8
  public var sin_family: sa_family_t
  public var sin_port: in_port_t
  public var sin_addr: in_addr
  public init() { absent() }
}

@frozen public struct sockaddr_in6: Sendable {
  public var sin6_len: UInt8
  public var sin6_family: sa_family_t
  public var sin6_port: in_port_t
  public var sin6_flowinfo: UInt32
  public var sin6_addr: in6_addr
  public var sin6_scope_id: UInt32
  public init() { absent() }
}

@frozen public struct __sFILE { public init() { absent() } }
public typealias FILE = __sFILE

@frozen public struct _opaque_pthread_t { public init() { absent() } }
@frozen public struct _opaque_pthread_attr_t { public init() { absent() } }
@frozen public struct _opaque_pthread_mutex_t { public init() { absent() } }
@frozen public struct _opaque_pthread_mutexattr_t { public init() { absent() } }
@frozen public struct _opaque_pthread_cond_t { public init() { absent() } }
@frozen public struct _opaque_pthread_condattr_t { public init() { absent() } }
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias pthread_attr_t = _opaque_pthread_attr_t
public typealias pthread_mutex_t = _opaque_pthread_mutex_t
public typealias pthread_mutexattr_t = _opaque_pthread_mutexattr_t
public typealias pthread_cond_t = _opaque_pthread_cond_t
public typealias pthread_key_t = UInt
public typealias pthread_condattr_t = _opaque_pthread_condattr_t

// MARK: Numbers

public var errno: Int32 {
  get { absent() }
  set { absent() }
}

public var E2BIG: Int32 { absent() }
public var EACCES: Int32 { absent() }
public var EADDRINUSE: Int32 { absent() }
public var EAGAIN: Int32 { absent() }
public var EMFILE: Int32 { absent() }
public var ENFILE: Int32 { absent() }
public var EBUSY: Int32 { absent() }
public var EDQUOT: Int32 { absent() }
public var EEXIST: Int32 { absent() }
public var EINTR: Int32 { absent() }
public var EISDIR: Int32 { absent() }
public var ENOBUFS: Int32 { absent() }
public var ELOOP: Int32 { absent() }
public var ENOENT: Int32 { absent() }
public var ENOMEM: Int32 { absent() }
public var ENOSPC: Int32 { absent() }
public var ENOTDIR: Int32 { absent() }
public var ENXIO: Int32 { absent() }
public var EPERM: Int32 { absent() }
public var EPIPE: Int32 { absent() }
public var EROFS: Int32 { absent() }
public var EWOULDBLOCK: Int32 { absent() }

public var O_CLOEXEC: Int32 { absent() }
public var O_CREAT: Int32 { absent() }
public var O_EXCL: Int32 { absent() }
public var O_NOFOLLOW: Int32 { absent() }
public var O_DIRECTORY: Int32 { absent() }
public var O_NONBLOCK: Int32 { absent() }
public var O_RDONLY: Int32 { absent() }
public var O_RDWR: Int32 { absent() }
public var O_WRONLY: Int32 { absent() }
public var FD_CLOEXEC: Int32 { absent() }
public var F_FULLFSYNC: Int32 { absent() }
public var F_GETFD: Int32 { absent() }
public var F_GETFL: Int32 { absent() }
public var F_OK: Int32 { absent() }
public var R_OK: Int32 { absent() }
public var F_DUPFD_CLOEXEC: Int32 { absent() }
public var F_SETFD: Int32 { absent() }
public var F_SETFL: Int32 { absent() }
public var LOCK_EX: Int32 { absent() }
public var LOCK_NB: Int32 { absent() }
public var LOCK_SH: Int32 { absent() }
public var LOCK_UN: Int32 { absent() }
public var AT_FDCWD: Int32 { absent() }
public var PATH_MAX: Int32 { absent() }
public var S_IFDIR: mode_t { absent() }
public var S_IFIFO: mode_t { absent() }
public var S_IFMT: mode_t { absent() }
public var S_IFREG: mode_t { absent() }
public var S_IFLNK: mode_t { absent() }
public var STDERR_FILENO: Int32 { absent() }
public var STDIN_FILENO: Int32 { absent() }
public var STDOUT_FILENO: Int32 { absent() }

public var AF_INET: Int32 { absent() }
public var AF_INET6: Int32 { absent() }
public var INADDR_LOOPBACK: UInt32 { absent() }
public var IPPROTO_TCP: Int32 { absent() }
public var SHUT_RDWR: Int32 { absent() }
public var SHUT_WR: Int32 { absent() }
public var SOCK_STREAM: Int32 { absent() }
public var SOL_SOCKET: Int32 { absent() }
public var SO_LINGER: Int32 { absent() }
public var SO_NOSIGPIPE: Int32 { absent() }
public var SO_RCVBUF: Int32 { absent() }
public var SO_REUSEADDR: Int32 { absent() }
public var IPPROTO_IPV6: Int32 { absent() }
public var IPV6_V6ONLY: Int32 { absent() }
public var SO_SNDBUF: Int32 { absent() }
public var TCP_NODELAY: Int32 { absent() }
public var POLLERR: Int32 { absent() }
public var POLLHUP: Int32 { absent() }
public var POLLIN: Int32 { absent() }
public var POLLNVAL: Int32 { absent() }
public var POLLOUT: Int32 { absent() }

public var CLOCK_MONOTONIC: clockid_t { absent() }
public var CLOCK_REALTIME: clockid_t { absent() }
public var PTHREAD_CREATE_DETACHED: Int32 { absent() }
public var SIGBUS: Int32 { absent() }
public var SIGFPE: Int32 { absent() }
public var SIGILL: Int32 { absent() }
public var SIGHUP: Int32 { absent() }
public var SIGINT: Int32 { absent() }
public var SIGKILL: Int32 { absent() }
public var SIGPIPE: Int32 { absent() }
public var SIGPROF: Int32 { absent() }
public var SIGSEGV: Int32 { absent() }
public var SIGSTOP: Int32 { absent() }
public var SIGSYS: Int32 { absent() }
public var SIGTERM: Int32 { absent() }
public var SIGTRAP: Int32 { absent() }
public var SIG_BLOCK: Int32 { absent() }
public var SIG_UNBLOCK: Int32 { absent() }
public var SIG_DFL: sig_t? { absent() }
public var SIG_IGN: sig_t { absent() }
public var TIOCGWINSZ: UInt { absent() }

// MARK: Files

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { absent() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { absent() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { absent() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { absent() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { absent() }
public func ioctl(_ fd: Int32, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> Int32 { absent() }
@discardableResult public func close(_: Int32) -> Int32 { absent() }
@discardableResult public func read(_: Int32, _: UnsafeMutableRawPointer!, _: Int) -> Int { absent() }
@discardableResult public func write(_ fd: Int32, _ buf: UnsafeRawPointer!, _ nbyte: Int) -> Int { absent() }
@discardableResult
public func pread(_ d: Int32, _ buf: UnsafeMutableRawPointer!, _ nbyte: Int, _ offset: off_t) -> Int {
  absent()
}
@discardableResult
public func pwrite(_ fd: Int32, _ buf: UnsafeRawPointer!, _ nbyte: Int, _ offset: off_t) -> Int { absent() }
@discardableResult public func fstat(_: Int32, _: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 {
  absent()
}
@discardableResult
public func lstat(_: UnsafePointer<CChar>!, _: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 { absent() }
@discardableResult
public func stat(_: UnsafePointer<CChar>!, _: UnsafeMutablePointer<DarwinTypes.stat>!) -> Int32 { absent() }
@discardableResult
public func statvfs(
  _: UnsafePointer<CChar>!, _: UnsafeMutablePointer<DarwinTypes.statvfs>!
) -> Int32 { absent() }
@discardableResult public func fchmod(_: Int32, _: mode_t) -> Int32 { absent() }
@discardableResult public func fchown(_: Int32, _: uid_t, _: gid_t) -> Int32 { absent() }
@discardableResult public func fsync(_: Int32) -> Int32 { absent() }
@discardableResult public func ftruncate(_: Int32, _: off_t) -> Int32 { absent() }
@discardableResult public func futimens(_ __fd: Int32, _ __times: UnsafePointer<timespec>!) -> Int32 {
  absent()
}
@discardableResult public func flock(_: Int32, _: Int32) -> Int32 { absent() }
public func readlink(
  _: UnsafePointer<CChar>, _: UnsafeMutablePointer<CChar>, _: Int
) -> Int { absent() }
@discardableResult public func isatty(_: Int32) -> Int32 { absent() }
@discardableResult public func pipe(_: UnsafeMutablePointer<Int32>!) -> Int32 { absent() }
@discardableResult public func access(_: UnsafePointer<CChar>!, _: Int32) -> Int32 { absent() }
@discardableResult public func unlink(_: UnsafePointer<CChar>!) -> Int32 { absent() }
@discardableResult public func mkdir(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { absent() }
@discardableResult public func mkfifo(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { absent() }
@discardableResult
public func link(_: UnsafePointer<CChar>!, _: UnsafePointer<CChar>!) -> Int32 { absent() }
@discardableResult
public func rename(_ __old: UnsafePointer<CChar>!, _ __new: UnsafePointer<CChar>!) -> Int32 { absent() }
@discardableResult
public func fclonefileat(_: Int32, _: Int32, _: UnsafePointer<CChar>!, _: UInt32) -> Int32 { absent() }
public func realpath(
  _: UnsafePointer<CChar>!, _: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { absent() }
public func fopen(_ __filename: UnsafePointer<CChar>!, _ __mode: UnsafePointer<CChar>!)
  -> UnsafeMutablePointer<FILE>!
{ absent() }
@discardableResult public func fclose(_: UnsafeMutablePointer<FILE>!) -> Int32 { absent() }
@discardableResult
public func fread(
  _ __ptr: UnsafeMutableRawPointer!, _ __size: Int, _ __nitems: Int,
  _ __stream: UnsafeMutablePointer<FILE>!
) -> Int { absent() }

// MARK: Sockets

@discardableResult public func socket(_: Int32, _: Int32, _: Int32) -> Int32 { absent() }
@discardableResult
public func bind(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { absent() }
@discardableResult
public func connect(_: Int32, _: UnsafePointer<sockaddr>!, _: socklen_t) -> Int32 { absent() }
@discardableResult public func listen(_: Int32, _: Int32) -> Int32 { absent() }
@discardableResult
public func accept(
  _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { absent() }
@discardableResult
public func getsockname(
  _: Int32, _: UnsafeMutablePointer<sockaddr>!, _: UnsafeMutablePointer<socklen_t>!
) -> Int32 { absent() }
@discardableResult
public func setsockopt(_: Int32, _: Int32, _: Int32, _: UnsafeRawPointer!, _: socklen_t) -> Int32 { absent() }
@discardableResult
public func recv(_: Int32, _: UnsafeMutableRawPointer!, _: Int, _: Int32) -> Int { absent() }
@discardableResult
public func send(_: Int32, _: UnsafeRawPointer!, _: Int, _: Int32) -> Int { absent() }
@discardableResult public func shutdown(_: Int32, _: Int32) -> Int32 { absent() }
@discardableResult
public func poll(_: UnsafeMutablePointer<pollfd>!, _: nfds_t, _: Int32) -> Int32 { absent() }
public var INET6_ADDRSTRLEN: Int32 { absent() }
public func inet_ntop(
  _ family: Int32, _ address: UnsafeRawPointer!, _ text: UnsafeMutablePointer<CChar>!, _ size: socklen_t
) -> UnsafePointer<CChar>! { absent() }
@discardableResult
public func inet_pton(_: Int32, _: UnsafePointer<CChar>!, _: UnsafeMutableRawPointer!) -> Int32 { absent() }

// MARK: Threads, signals, time

public func pthread_key_create(
  _: UnsafeMutablePointer<pthread_key_t>!, _: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { absent() }
public func pthread_getspecific(_: pthread_key_t) -> UnsafeMutableRawPointer? { absent() }
@discardableResult
public func pthread_setspecific(_: pthread_key_t, _: UnsafeRawPointer?) -> Int32 { absent() }
@discardableResult
public func pthread_create(
  _: UnsafeMutablePointer<pthread_t?>!, _: UnsafePointer<pthread_attr_t>?,
  _: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?
) -> Int32 { absent() }
@discardableResult public func pthread_attr_init(_: UnsafeMutablePointer<pthread_attr_t>) -> Int32 {
  absent()
}
@discardableResult
public func pthread_attr_destroy(_: UnsafeMutablePointer<pthread_attr_t>) -> Int32 { absent() }
@discardableResult
public func pthread_attr_setdetachstate(_: UnsafeMutablePointer<pthread_attr_t>, _: Int32) -> Int32 {
  absent()
}
@discardableResult public func pthread_detach(_: pthread_t) -> Int32 { absent() }
@discardableResult public func pthread_equal(_: pthread_t?, _: pthread_t?) -> Int32 { absent() }
@discardableResult public func pthread_self() -> pthread_t { absent() }
@discardableResult
public func pthread_mutex_init(
  _: UnsafeMutablePointer<pthread_mutex_t>, _: UnsafePointer<pthread_mutexattr_t>?
) -> Int32 { absent() }
@discardableResult
public func pthread_mutex_destroy(_: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { absent() }
@discardableResult
public func pthread_mutex_lock(_: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { absent() }
@discardableResult
public func pthread_mutex_unlock(_: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { absent() }
@discardableResult
public func pthread_cond_init(
  _: UnsafeMutablePointer<pthread_cond_t>, _: UnsafePointer<pthread_condattr_t>?
) -> Int32 { absent() }
@discardableResult
public func pthread_cond_destroy(_: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { absent() }
@discardableResult
public func pthread_cond_signal(_: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { absent() }
@discardableResult
public func pthread_cond_wait(
  _: UnsafeMutablePointer<pthread_cond_t>, _: UnsafeMutablePointer<pthread_mutex_t>
) -> Int32 { absent() }
@discardableResult
public func pthread_sigmask(
  _: Int32, _: UnsafePointer<sigset_t>?, _: UnsafeMutablePointer<sigset_t>?
) -> Int32 { absent() }
@discardableResult public func sigemptyset(_: UnsafeMutablePointer<sigset_t>!) -> Int32 { absent() }
@discardableResult
public func sigaddset(_: UnsafeMutablePointer<sigset_t>!, _: Int32) -> Int32 { absent() }
@discardableResult
public func sigwait(_: UnsafePointer<sigset_t>!, _: UnsafeMutablePointer<Int32>!) -> Int32 { absent() }
@discardableResult
public func sigaction(
  _: Int32, _: UnsafePointer<DarwinTypes.sigaction>!, _: UnsafeMutablePointer<DarwinTypes.sigaction>!
) -> Int32 { absent() }
@discardableResult
public func signal(_: Int32, _: (@convention(c) (Int32) -> Void)!) -> (@convention(c) (Int32) -> Void)! {
  absent()
}
@discardableResult public func raise(_: Int32) -> Int32 { absent() }
public func _exit(_: Int32) -> Never { absent() }
public func exit(_: Int32) -> Never { absent() }
@discardableResult public func usleep(_: useconds_t) -> Int32 { absent() }
@discardableResult
public func clock_gettime(_ __clock_id: clockid_t, _ __tp: UnsafeMutablePointer<timespec>!) -> Int32 {
  absent()
}

// MARK: The process and its memory

public typealias iconv_t = UnsafeMutableRawPointer
public func iconv_open(_: UnsafePointer<CChar>!, _: UnsafePointer<CChar>!) -> iconv_t! { absent() }
@discardableResult
public func iconv_close(_: iconv_t!) -> Int32 { absent() }
public func iconv(
  _: iconv_t!, _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _: UnsafeMutablePointer<Int>!,
  _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!, _: UnsafeMutablePointer<Int>!
) -> Int { absent() }
public func geteuid() -> uid_t { absent() }
public func getpid() -> pid_t { absent() }
public func getenv(_: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { absent() }
public func strerror(_ __errnum: Int32) -> UnsafeMutablePointer<CChar>! { absent() }
@discardableResult
public func sysctlbyname(
  _: UnsafePointer<CChar>!, _: UnsafeMutableRawPointer!, _: UnsafeMutablePointer<Int>!,
  _: UnsafeMutableRawPointer!, _: Int
) -> Int32 { absent() }
public func free(_: UnsafeMutableRawPointer!) { absent() }
public func memchr(
  _ __s: UnsafeRawPointer!, _ __c: Int32, _ __n: Int
) -> UnsafeMutableRawPointer! { absent() }
@discardableResult
public func memcpy(
  _ __dst: UnsafeMutableRawPointer!, _ __src: UnsafeRawPointer!, _ __n: Int
) -> UnsafeMutableRawPointer! { absent() }
@discardableResult
public func memset_s(_ __s: UnsafeMutableRawPointer!, _ __smax: Int, _ __c: Int32, _ __n: Int) -> Int32 {
  absent()
}
public func timingsafe_bcmp(_ __b1: UnsafeRawPointer!, _ __b2: UnsafeRawPointer!, _ __len: Int) -> Int32 {
  absent()
}
public func memcmp(_ __s1: UnsafeRawPointer!, _ __s2: UnsafeRawPointer!, _ __n: Int) -> Int32 { absent() }
public func strlen(_ __s: UnsafePointer<CChar>!) -> Int { absent() }

// MARK: Terminals

public typealias tcflag_t = UInt

@frozen public struct termios: Sendable {
  public var c_iflag: tcflag_t
  public var c_oflag: tcflag_t
  public var c_cflag: tcflag_t
  public var c_lflag: tcflag_t
  public init() { absent() }
}

public var ECHO: Int32 { absent() }
public var TCSAFLUSH: Int32 { absent() }
@discardableResult
public func tcgetattr(_ descriptor: Int32, _ settings: UnsafeMutablePointer<termios>!) -> Int32 { absent() }
@discardableResult
public func tcsetattr(_ descriptor: Int32, _ action: Int32, _ settings: UnsafePointer<termios>!) -> Int32 {
  absent()
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension FileError {
  /// True if there is no such file or folder.
  var isMissing: Bool { systemCode == ENOENT || systemCode == ENOTDIR }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Standard input, output and error, which whoever starts the tool may have closed.
enum StandardDescriptors {
  /// Takes the numbers that are free, or the next socket would get one of them, and bodies would be written into it.
  /// Reading from such a one finds nothing, and writing to it fails.
  static func reserve() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Standard input, output and error, which the parent process may have closed.
enum StandardDescriptors {
  /// Opens `/dev/null` for each closed descriptor; otherwise the next socket would get its number, and bodies
  /// would be written into it. Reading from it yields the end of the file, and writing to it fails.
  static func reserve() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}

import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Program {
  #if os(Linux)
    package static let canSeeInheritance = true
  #else
    package static let canSeeInheritance = false
  #endif

  /// Returns the files that a child process would inherit if any library of this process started it now: all
  /// that are not close-on-exec.
  package static func inheritedFiles() throws -> [String] {
    #if os(Linux)
      var id: pid_t = 0
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for own in [Int32(0), 1, 2] { posix_spawn_file_actions_addopen(&actions, own, "/dev/null", O_RDWR, 0) }
      guard let sleep = path(of: "sleep") else {
        throw Failure(description: "the program sleep is not installed")
      }
      let arguments = ["sleep", "100"]
      var words = arguments.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      let code = posix_spawn(&id, sleep, &actions, nil, &words, environ)
      guard code == 0 else { throw Failure(description: "\(sleep) cannot be started: \(code)") }
      defer {
        kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
      }
      let folder = "/proc/\(id)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
    #else
      throw Failure(description: "this system does not list open files")
    #endif
  }
}

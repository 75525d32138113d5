#if os(Linux)
  import CSandbox
  import ErrandCore
  import Foundation
  import TestSupport

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A network namespace, in which nothing is reachable at first. It ends with its last socket and this
  /// object.
  final class NetworkNamespace: Sendable {
    struct Failure: Error {
      let command: String
      let status: Int32
    }

    /// True if this process may create namespaces, which requires root, and has iproute2.
    static let isAllowed = (try? NetworkNamespace()) != nil && access(program, X_OK) == 0

    private static let program = "/usr/sbin/ip"
    private let descriptor: Int32

    init() throws {
      descriptor = try OwnThread.run { errand_make_network() }
      guard descriptor >= 0 else { throw Failure(command: "unshare", status: errno) }
    }

    deinit { close(descriptor) }

    /// Runs the body in this network, on a dedicated thread.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
      try OwnThread.run { [descriptor] in
        guard errand_enter_network(descriptor) == 0 else { throw Failure(command: "setns", status: errno) }
        return try body()
      }
    }

    /// Runs commands of ip(8): `link set near up`.
    func ip(_ commands: String...) throws {
      for command in commands {
        let status = try run { Self.spawn(Self.program, command.split(separator: " ").map(String.init)) }
        guard status == 0 else { throw Failure(command: command, status: status) }
      }
    }

    /// Runs many commands at once.
    func ip(all commands: [String]) throws {
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      try folder.write(commands.joined(separator: "\n"), to: "commands")
      try ip("-batch \(folder.path("commands"))")
    }

    private static func spawn(_ program: String, _ arguments: [String]) -> Int32 {
      var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      var child: pid_t = 0
      let error = posix_spawn(&child, program, nil, nil, &words, environ)
      guard error == 0 else { return error }
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      return status
    }
  }
#endif

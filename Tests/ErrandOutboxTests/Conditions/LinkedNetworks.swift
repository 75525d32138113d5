#if os(Linux)
  import CSandbox
  import Dispatch
  import ErrandCore
  import Foundation

  /// Two networks with one link between them, which can be cut. It takes root, and iproute2.
  final class LinkedNetworks: Sendable {
    struct Failure: Error {
      let command: String
    }

    static let isAllowed = (try? LinkedNetworks()) != nil
    static let farAddress = "10.77.0.2"

    let near: String
    private let far: String

    init() throws {
      let name = UUID().uuidString.prefix(8).lowercased()
      near = "errand-near-\(name)"
      far = "errand-far-\(name)"
      guard geteuid() == 0 else { throw Failure(command: "nothing: only root can have networks") }
      try Self.ip("netns add \(near)")
      try Self.ip("netns add \(far)")
      try Self.ip("-n \(near) link add near type veth peer name far netns \(far)")
      try Self.ip("-n \(near) address add 10.77.0.1/24 dev near")
      try Self.ip("-n \(far) address add \(Self.farAddress)/24 dev far")
      for (network, link) in [(near, "lo"), (far, "lo"), (near, "near"), (far, "far")] {
        try Self.ip("-n \(network) link set \(link) up")
      }
    }

    deinit {
      try? Self.ip("netns delete \(near)")
      try? Self.ip("netns delete \(far)")
    }

    func cut() throws { try Self.ip("-n \(near) link set near down") }
    func mend() throws { try Self.ip("-n \(near) link set near up") }

    /// Runs it on the far side, on a thread that nobody else will ever use.
    func onFarSide<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
      let done = DispatchSemaphore(value: 0)
      let answer = Answer<Value>()
      let isStarted = SystemThread.start { [far] in
        let network = open("/run/netns/\(far)", O_RDONLY | O_CLOEXEC)
        answer.value.withLock { value in
          value = Result {
            guard errand_enter_network(network) == 0 else { throw Failure(command: "setns") }
            return try body()
          }
        }
        close(network)
        done.signal()
      }
      guard isStarted else { throw Failure(command: "a thread") }
      done.wait()
      guard let value = answer.value.withLock({ $0 }) else { throw Failure(command: "the thread's work") }
      return try value.get()
    }

    private final class Answer<Value: Sendable>: Sendable {
      let value = Locked<Result<Value, any Error>?>(nil)
    }

    private static func ip(_ command: String) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/sbin/ip")
      process.arguments = command.split(separator: " ").map(String.init)
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Failure(command: command) }
    }
  }
#endif

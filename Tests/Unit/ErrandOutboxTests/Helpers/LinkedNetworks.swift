#if os(Linux)
  import CSandbox
  import Dispatch
  import ErrandCore
  import Foundation
  import Programs

  /// Two network namespaces with one link between them, which can be cut. Needs root and iproute2.
  final class LinkedNetworks: Sendable {
    struct Failure: Error {
      let command: String
    }

    static let farAddress = "10.77.0.2"

    let near: String
    private let far: String

    private init() {
      let name = UUID().uuidString.prefix(8).lowercased()
      near = "errand-near-\(name)"
      far = "errand-far-\(name)"
    }

    static var isAllowed: Bool {
      get async { (try? await make()) != nil }
    }

    static func make() async throws -> LinkedNetworks {
      guard geteuid() == 0 else { throw Failure(command: "only root can create networks") }
      let networks = LinkedNetworks()
      let (near, far) = (networks.near, networks.far)
      try await ip("netns add \(near)")
      try await ip("netns add \(far)")
      try await ip("-n \(near) link add near type veth peer name far netns \(far)")
      try await ip("-n \(near) address add 10.77.0.1/24 dev near")
      try await ip("-n \(far) address add \(farAddress)/24 dev far")
      for (network, link) in [(near, "lo"), (far, "lo"), (near, "near"), (far, "far")] {
        try await ip("-n \(network) link set \(link) up")
      }
      return networks
    }

    deinit {
      // The deletions continue in the background.
      for network in [near, far] { _ = try? Self.start("netns delete \(network)") }
    }

    func cut() async throws { try await Self.ip("-n \(near) link set near down") }
    func mend() async throws { try await Self.ip("-n \(near) link set near up") }

    /// Runs `body` in the far network, on a new thread that is not reused.
    func onFarSide<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
      let done = DispatchSemaphore(value: 0)
      let response = Answer<Value>()
      let isStarted = SystemThread.start { [far] in
        let network = open("/run/netns/\(far)", O_RDONLY | O_CLOEXEC)
        response.value.withLock { value in
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
      guard let value = response.value.withLock({ $0 }) else { throw Failure(command: "the thread's work") }
      return try value.get()
    }

    private final class Answer<Value: Sendable>: Sendable {
      let value = Locked<Result<Value, any Error>?>(nil)
    }

    private static func ip(_ command: String) async throws {
      guard try await start(command).end() == .exited(0) else { throw Failure(command: command) }
    }

    private static func start(_ command: String) throws -> Program {
      try Program("/usr/sbin/ip", command.split(separator: " ").map(String.init))
    }
  }
#endif

#if canImport(FoundationNetworking)
  import ErrandCore
  import Foundation
  import FoundationNetworking

  /// A response for a session on Linux, in which a 401 ends its task.
  ///
  /// When a protocol has finished with a 401 whose challenge is Basic, FoundationNetworking asks for a credential. If
  /// it gets none, it never ends the task. If it gets one, it repeats the request without the protocol. It looks for
  /// the challenge in responses whose URL has a host, so the URL is hidden from it while it looks.
  // Safe to share: its one property is locked.
  final class SessionResponse: HTTPURLResponse, @unchecked Sendable {
    private let hidden = Locked<ObjectIdentifier?>(nil)

    override var url: URL? {
      let isHidden = hidden.withLock { $0 == ObjectIdentifier(Thread.current) }
      return isHidden ? nil : super.url
    }

    /// Calls a closure, in which the response has no URL on this thread.
    func withoutURL(_ body: () -> Void) {
      let thread = ObjectIdentifier(Thread.current)
      hidden.withLock { $0 = thread }
      body()
      hidden.withLock { $0 = nil }
    }
  }
#else
  import Foundation

  typealias SessionResponse = HTTPURLResponse
#endif

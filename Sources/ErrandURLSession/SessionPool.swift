import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The sessions of a transport: one for each set of keys that hosts may have.
///
/// URLSession uses one HTTP/2 connection for several hosts if its certificate names them all, and checks only
/// the first host's key. Within one session that is correct, because all its hosts may have the same keys.
final class SessionPool: Sendable {
  private let make: @Sendable () -> URLSession
  private let sessions: Locked<[Set<PublicKeyPin>: URLSession]>

  init(_ make: @escaping @Sendable () -> URLSession) {
    self.make = make
    sessions = Locked([[]: make()])
  }

  func session(for keys: Set<PublicKeyPin>) -> URLSession {
    sessions.withLock { sessions in
      if let session = sessions[keys] { return session }
      let session = make()
      sessions[keys] = session
      return session
    }
  }

  var all: [URLSession] { sessions.withLock { Array($0.values) } }
}

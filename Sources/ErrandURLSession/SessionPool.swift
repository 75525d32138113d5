import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The sessions of a transport: one for each set of keys that hosts may have.
///
/// URLSession lets requests for several hosts share one HTTP/2 connection whose certificate names them all, and asks
/// for the keys of the first only. Within one session that is right, because all of its hosts may have the same keys.
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

import ErrandCore
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The engines of a transport, each with its thread. It chooses the engine for each request.
final class CurlThreads: Sendable {
  /// An engine and the number of its transfers.
  fileprivate final class Member: Sendable {
    let engine: CurlEngine
    let load = Atomic<Int>(0)

    init(_ options: CurlOptions) { engine = CurlEngine(options) }
  }

  let options: CurlOptions
  private let members: [Member]

  init(_ configuration: CurlConfiguration) {
    let options = CurlOptions(configuration)
    self.options = options
    members = (0..<options.spread.threads).map { _ in Member(options) }
  }

  /// The engine that runs tasks.
  var first: CurlEngine { members[0].engine }

  /// The place of one transfer on an engine.
  struct Place: Sendable {
    fileprivate let member: Member
    /// False if there is only one engine, whose transfers are not counted.
    fileprivate let counts: Bool
    var engine: CurlEngine { member.engine }

    func leave() {
      if counts { member.load.subtract(1, ordering: .relaxed) }
    }
  }

  /// Chooses the engine for a transfer.
  /// - Returns: The transfer's place on the engine, which it has to leave.
  func enter(_ exchange: Exchange) -> Place {
    guard members.count > 1 else { return Place(member: members[0], counts: false) }
    let member = members[choice(for: exchange.request.url)]
    member.load.add(1, ordering: .relaxed)
    return Place(member: member, counts: true)
  }

  private func choice(for url: URL) -> Int {
    // A task that runs on an engine's thread stays there.
    if let own = members.firstIndex(where: { $0.engine.isOnThread }) { return own }
    let origin = Origin(url)?.hashValue ?? 0
    return options.spread.choice(of: origin) { members[$0].load.load(ordering: .relaxed) }
  }

  /// Ends all threads. Calls `done` afterwards.
  func stop(_ done: @escaping @Sendable () -> Void = {}) {
    let left = Locked(members.count)
    for member in members {
      member.engine.stop {
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { done() }
      }
    }
  }
}

/// The rule that assigns the requests to an origin to threads. Pure.
///
/// The requests to an origin begin on one thread, so that they find its connections there. When that thread
/// has `share` transfers, the next thread takes further requests.
struct CurlSpread: Hashable {
  /// The number of transfers on a thread from which other threads are considered.
  static let share = 32
  static let mostThreads = 64
  private static let mostIdle = 1 << 20

  let threads: Int
  /// The idle connections that each thread keeps.
  let idleConnections: Int

  init(threads: Int, connectionsPerHost: Int, idleConnections: Int, keepsCookies: Bool) {
    // Only one thread can share the cookies or count the connections to a host.
    let threads = keepsCookies || connectionsPerHost > 0 ? 1 : max(1, min(threads, Self.mostThreads))
    self.threads = threads
    let idle = min(max(0, idleConnections), Self.mostIdle)
    // A thread that keeps too few would constantly close and open some.
    self.idleConnections = min(idle, max(Self.share, idle / threads))
  }

  /// Returns the thread for a request.
  /// - Parameters:
  ///   - origin: A number that is the same for all requests to one origin.
  ///   - load: Returns the number of transfers of a thread.
  func choice(of origin: Int, load: (Int) -> Int) -> Int {
    let first = Int(origin.magnitude % UInt(threads))
    var (best, least) = (first, Int.max)
    for step in 0..<threads {
      let thread = (first + step) % threads
      let shares = load(thread) / Self.share
      if shares < least { (best, least) = (thread, shares) }
      if least == 0 { break }
    }
    return best
  }
}

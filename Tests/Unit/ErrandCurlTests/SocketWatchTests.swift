import Foundation
import Testing

@testable import ErrandCurl

@Suite struct SocketWatchTests {
  private let watch = SocketWatch()

  /// Returns a socket of a new pair, and the other end of the pair.
  /// - Parameter old: A closed socket whose number the new one gets atomically, so that no other test can
  ///   take the number.
  private func pair(closing old: Int32? = nil) -> (socket: Int32, other: Int32) {
    var ends: [Int32] = [-1, -1]
    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    guard let old else { return (ends[0], ends[1]) }
    dup2(ends[0], old)
    close(ends[0])
    return (old, ends[1])
  }

  private func isReady(_ socket: Int32) -> Bool {
    watch.wait(milliseconds: 0)
    return watch.ready.contains { $0.socket == socket }
  }

  /// Returns a socket that libcurl will close without notifying the watch.
  private func connecting() -> Int32 {
    let (socket, other) = pair()
    watch.isMade(socket)
    watch.want(.write, of: socket, for: nil)
    #expect(isReady(socket))
    watch.want([], of: socket, for: nil)
    close(other)
    return socket
  }

  @Test(arguments: [true, false])
  func `a socket is watched even if another with its number was closed while it connected`(isOurs: Bool) {
    let (socket, other) = pair(closing: connecting())
    if isOurs { watch.isMade(socket) }
    watch.want(.write, of: socket, for: nil)
    #expect(isReady(socket))
    watch.want(.read, of: socket, for: nil)
    #expect(!isReady(socket))
    close(other)
    #expect(isReady(socket))
    watch.forget(socket)
    close(socket)
  }

  @Test func `readiness is not reported for another socket with the same number`() {
    let (socket, other) = pair()
    watch.isMade(socket)
    watch.want(.write, of: socket, for: nil)
    #expect(isReady(socket) && watch.isStillReady(socket))
    close(other)
    let (next, end) = pair(closing: socket)
    watch.isMade(next)
    watch.want(.write, of: next, for: nil)
    #expect(!watch.isStillReady(next))
    #expect(isReady(next) && watch.isStillReady(next))
    watch.forget(next)
    #expect(!watch.isStillReady(next))
    close(next)
    close(end)
  }

  @Test func `a socket that was closed before it was watched does not affect the next one with its number`() {
    let (first, other) = pair()
    watch.isMade(first)
    watch.want(.write, of: first, for: nil)
    watch.want([], of: first, for: nil)
    close(other)
    for _ in 0..<2 {
      let (socket, other) = pair(closing: first)
      watch.want(.read, of: socket, for: nil)
      close(other)
      #expect(isReady(socket))
      watch.want([], of: socket, for: nil)
    }
    close(first)
  }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Records calls in a HAR file (HTTP Archive 1.2), which browsers' developer tools and mitmproxy open. It has
/// one entry for each attempt and each redirect, without secrets.
///
/// ```swift
/// let recorder = try HARRecorder(file: URL(filePath: "calls.har"))
/// configuration.listeners.append(recorder)
/// ```
///
/// An entry is written when its attempt has ended. The file is complete after each entry, and only its owner
/// may read it. Bodies are recorded up to a limit, those of requests only if they are in memory. The field
/// `_errand` holds data that HAR does not define: the numbers of call and attempt, the calls that shared the
/// response, and the reason for another attempt.
public final class HARRecorder: BodyListener {
  private struct State {
    var calls: [UInt64: HARCall] = [:]
    /// For each shared call, the calls that wait for it.
    var sharing: [UInt64: [UInt64]] = [:]
    /// For each of these calls, the call that it waits for.
    var shared: [UInt64: UInt64] = [:]

    /// - Parameter call: The call; nil if it has ended.
    mutating func keep(_ call: HARCall?, as id: UInt64) {
      calls[id] = call
      guard call == nil else { return }
      sharing[id] = nil
      guard let other = shared.removeValue(forKey: id) else { return }
      sharing[other]?.removeAll { $0 == id }
      if sharing[other]?.isEmpty == true { sharing[other] = nil }
    }
  }

  /// The maximum number of bytes that are recorded of each body.
  package let bodyLimit: Int
  private let file: Locked<HARFile>
  private let state = Locked(State())
  private let onFailure: (@Sendable (any Error) -> Void)?

  /// Makes a recorder and opens the file.
  /// - Parameters:
  ///   - file: The file, whose folder must exist. Only one recorder can write it at a time, in all processes.
  ///   - appends: True to add to a file that an earlier recorder has left, even if it is incomplete; false to
  ///     replace it. Default: false.
  ///   - bodyLimit: The maximum number of bytes that are recorded of each body. Default: 64 KiB; 0 records
  ///     none.
  ///   - onFailure: Called when an entry could not be written. The calls continue.
  /// - Throws: `FileError`, if the file cannot be written, if another recorder writes it, or if Errand did
  ///   not write its content. The file is unchanged then.
  public init(
    file: URL, appends: Bool = false, bodyLimit: Int = 64 << 10,
    onFailure: (@Sendable (any Error) -> Void)? = nil
  ) throws {
    self.file = Locked(try HARFile(file.path, appends: appends))
    self.bodyLimit = max(0, bodyLimit)
    self.onFailure = onFailure
  }

  public func record(_ event: CallEvent) {
    guard let entry = take(event) else { return }
    do {
      let line = try entry.line()
      try file.withLock { try $0.append(line) }
    } catch {
      onFailure?(error)
    }
  }

  private func take(_ event: CallEvent) -> HAREntry? {
    let id = event.call
    if case .started = event.kind {
      let call = HARCall(event, bodyLimit: bodyLimit)
      state.withLock { $0.calls[id] = call }
      return nil
    }
    if case .coalesced(let other) = event.kind, other > 0 {
      state.withLock { state in
        state.sharing[other, default: []].append(id)
        state.shared[id] = other
      }
    }
    let (known, sharedBy) = state.withLock { ($0.calls[id], $0.sharing[id] ?? []) }
    guard var call = known else { return nil }
    // The events of one call come one at a time, so nothing changes the call meanwhile.
    let entry = call.take(event, sharedBy: sharedBy)
    state.withLock { $0.keep(event.isEnd ? nil : call, as: id) }
    return entry
  }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Records calls in a file of Chrome's trace format, which `chrome://tracing` and Perfetto open. Each call
/// has a separate line with its waits and the steps of its attempts.
///
/// The events of a call's steps are written when the call has ended. The file can be opened at any time,
/// because the format allows the bracket at the end to be missing.
public final class ChromeTrace: EventListener {
  private struct Call {
    var timeline: CallTimeline
    var outcome = ""
  }

  private struct Writing {
    let descriptor: FileDescriptor
    var end: Int64
  }

  private let calls = Locked<[UInt64: Call]>([:])
  private let writing: Locked<Writing>
  private let onFailure: (@Sendable (any Error) -> Void)?

  /// Makes a recorder and opens the file.
  /// - Parameters:
  ///   - file: The file, whose folder must exist. It replaces a trace that an earlier recorder has left. Only
  ///     one recorder can write it at a time, in all processes.
  ///   - onFailure: Called when the steps of a call could not be written.
  /// - Throws: `FileError`, if the file cannot be written, if another recorder writes it, or if Errand did
  ///   not write its content. The file is unchanged then.
  public init(file: URL, onFailure: (@Sendable (any Error) -> Void)? = nil) throws {
    let descriptor = try RecordingFile.open(file.path, "a trace", isOwn: Self.isOwn)
    let head = Self.head
    try descriptor.truncate(to: 0)
    try descriptor.write(head, at: 0)
    writing = Locked(Writing(descriptor: descriptor, end: Int64(head.count)))
    self.onFailure = onFailure
  }

  /// The beginning of each file. It names the process in a viewer, and identifies the file as Errand's.
  private static let head = Data(
    "[\n{\"args\":{\"name\":\"Errand\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1},\n".utf8)

  /// Returns true for the beginning of a file of Errand. Files of earlier versions began with their first
  /// event.
  private static func isOwn(_ beginning: Data) -> Bool {
    beginning.starts(with: head) || beginning == Data("[\n".utf8)
      || (beginning.starts(with: "[\n{\"args\":".utf8)
        && beginning.firstRange(of: Data("\"cat\":\"errand\"".utf8)) != nil)
  }

  public func record(_ event: CallEvent) {
    if case .started = event.kind {
      let call = Call(timeline: CallTimeline(began: event.time))
      return calls.withLock { $0[event.call] = call }
    }
    guard var call = calls.withLock({ $0[event.call] }) else { return }
    call.timeline.take(event)
    calls.withLock { $0[event.call] = event.isEnd ? nil : call }
    if event.isEnd { write(call.timeline, event) }
  }

  private func write(_ timeline: CallTimeline, _ event: CallEvent) {
    var records = [
      TraceRecord(
        "\(event.request)", from: timeline.began, to: event.time, of: event,
        ["outcome": "\(event.kind)", "scope": event.scope ?? ""])
    ]
    records += timeline.spans.map { span in
      TraceRecord(
        span.step.rawValue, from: span.begin, to: span.end, of: event,
        ["attempt": "\(span.attempt)", "redirects": "\(span.redirects)"])
    }
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var text = Data()
      for record in records { text += try encoder.encode(record) + Data(",\n".utf8) }
      try writing.withLock { [text] writing in
        do {
          try writing.descriptor.write(text, at: writing.end)
        } catch {
          // A part of the text would damage the file for the next, shorter one.
          try? writing.descriptor.truncate(to: writing.end)
          throw error
        }
        writing.end += Int64(text.count)
      }
    } catch {
      onFailure?(error)
    }
  }
}

/// A complete event of Chrome's trace format. Times are in microseconds.
private struct TraceRecord: Encodable {
  let name: String
  let cat = "errand"
  let ph = "X"
  let ts: Double
  let dur: Double
  let pid = 1
  /// The number of the call, which gives each call a separate line.
  let tid: UInt64
  let args: [String: String]

  init(
    _ name: String, from begin: Duration, to end: Duration, of event: CallEvent, _ args: [String: String]
  ) {
    self.name = name
    ts = (begin.seconds * 1e6).rounded()
    dur = (max(.zero, end - begin).seconds * 1e6).rounded()
    tid = event.call
    self.args = args
  }
}

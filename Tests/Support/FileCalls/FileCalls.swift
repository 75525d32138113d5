import CFileCalls

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Records the program's system calls on the files of one folder.
package final class FileCalls: @unchecked Sendable {
  package enum Call: Sendable, Hashable {
    case makeFolder(String)
    /// The empty path is the folder itself.
    case flush(String)
    case move(String, to: String)
    case link(String, to: String)
  }

  package struct Unavailable: Error {}

  /// True on Linux, where a program can intercept its own system calls.
  #if os(Linux)
    package static let isAvailable = true
  #else
    package static let isAvailable = false
  #endif

  // Safe to share: the state behind the pointer is locked.
  private let calls: OpaquePointer
  /// Retained for as long as C may call it.
  private var beforeLink: Action?

  private final class Action {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// - Parameter folder: An existing folder.
  package init(in folder: String) throws {
    guard let calls = errand_file_calls_begin(folder) else { throw Unavailable() }
    self.calls = calls
  }

  deinit { errand_file_calls_end(calls) }

  /// The successful calls so far, in order.
  package var all: [Call] {
    guard let text = errand_file_calls_text(calls) else { return [] }
    defer { free(text) }
    return String(cString: text).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      switch parts[0] {
      case "makeFolder": return .makeFolder(parts[1])
      case "flush": return .flush(parts[1])
      case "move": return .move(parts[1], to: parts[2])
      case "link": return .link(parts[1], to: parts[2])
      default: return nil
      }
    }
  }

  /// Makes every flush of a file fail from now on.
  package func failFlushes() { errand_file_calls_fail_flushes(calls) }

  /// Sets an action that runs before a link is made, to act like another process. Call this once, before
  /// anything else.
  package func beforeLink(_ action: @escaping () -> Void) {
    let box = Action(action)
    beforeLink = box
    errand_file_calls_before_link(
      calls, { Unmanaged<Action>.fromOpaque($0!).takeUnretainedValue().run() },
      Unmanaged.passUnretained(box).toOpaque())
  }
}

extension [FileCalls.Call] {
  /// Returns the name of the file that was last moved or linked to this name.
  package func origin(of name: String) -> String? {
    compactMap {
      switch $0 {
      case .move(let from, name), .link(let from, name): from
      default: nil
      }
    }.last
  }

  /// Returns true if the bytes were flushed before they got this name, and the folder afterwards.
  package func isDurable(_ name: String, in folder: String) -> Bool {
    guard let origin = origin(of: name),
      let placed = lastIndex(where: { $0 == .move(origin, to: name) || $0 == .link(origin, to: name) })
    else { return false }
    return self[..<placed].contains(.flush(origin)) && self[placed...].contains(.flush(folder))
  }
}

/// A problem that a store on disk has found and handled. No read fails because of it.
public struct CacheFileProblem: Sendable, Hashable, CustomStringConvertible {
  /// The kind of problem.
  public enum Reason: Sendable, Hashable {
    /// The file was cut short, or changed since it was written. It was removed.
    case damaged
    /// The file has the name of a cached response, but other content. It was left in place, and nothing is
    /// cached there.
    case foreign
    /// The file was written by another version, in an unknown format. It was removed.
    case otherVersion(UInt32)
    /// The file could not be read, and was left in place.
    case unreadable(FileError)
    /// The file had to be removed, but could not be.
    case unremovable(FileError)
  }

  /// The path of the file or folder.
  public let path: String
  /// The kind of problem, which implies how the store handled it.
  public let reason: Reason

  /// Creates a problem, for tests of an `onProblem` closure.
  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  init(path: String, _ fault: CacheFileFault) {
    self.path = path
    reason =
      switch fault {
      case .damaged: .damaged
      case .foreign: .foreign
      case .otherVersion(let version): .otherVersion(version)
      }
  }

  public var description: String {
    switch reason {
    case .damaged: "\(path) is damaged and was removed"
    case .foreign:
      "\(path) is not a cached response and was left as it is; remove it so that the response can be cached"
    case .otherVersion(let version): "\(path) has the unknown version \(version) and was removed"
    case .unreadable(let error): "\(error)"
    case .unremovable(let error): "\(path) could not be removed: \(error)"
    }
  }
}

/// The reason why a file is not a cached response.
enum CacheFileFault: Error, Hashable {
  /// The file was cut short, or changed since it was written.
  case damaged
  /// The file has the name of a cached response, but other content.
  case foreign
  /// The file was written by another version of Errand, in a format that this one does not know.
  case otherVersion(UInt32)
}

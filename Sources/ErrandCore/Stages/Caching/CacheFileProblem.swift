/// A problem that a store on disk found and dealt with. No read fails because of it.
public struct CacheFileProblem: Sendable, Hashable, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    /// The file was cut short, or changed since it was written. It was removed.
    case damaged
    /// The file has a cached response's name, but is something else. It was left in place, and nothing is cached there.
    case foreign
    /// The file was written in an unknown format, by another version. It was removed.
    case otherVersion(UInt32)
    /// The file could not be read, and was left in place.
    case unreadable(FileError)
    /// The file was to be removed, but could not be.
    case unremovable(FileError)
  }

  /// The path of the file or folder.
  public let path: String
  public let reason: Reason

  public init(path: String, reason: Reason) {
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
      "\(path) is not a cached response and was left as it is; remove it to have the response cached"
    case .otherVersion(let version): "\(path) has the unknown version \(version) and was removed"
    case .unreadable(let error): "\(error)"
    case .unremovable(let error): "\(path) had to go: \(error)"
    }
  }
}

/// The reason why a file is not a cached response.
enum CacheFileFault: Error, Hashable {
  /// The file was cut short, or changed since it was written.
  case damaged
  /// The file has a cached response's name, but is something else.
  case foreign
  /// The file was written by another version of Errand, in a format that this one does not know.
  case otherVersion(UInt32)
}

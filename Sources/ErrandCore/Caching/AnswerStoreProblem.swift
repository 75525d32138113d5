/// Something that a store on disk found and dealt with. No read fails because of it.
public struct AnswerStoreProblem: Sendable, Hashable, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    /// The file was cut short, or changed since it was written. It was removed.
    case damaged
    /// Under an answer's name was something else. It was removed.
    case foreign
    /// Written in a form of another version, which is not known here. It was removed.
    case otherVersion(UInt32)
    /// It could not be read, and was left where it is.
    case unreadable(FileError)
    /// It had to go, but could not be removed.
    case unremovable(FileError)
  }

  /// The file or folder.
  public let path: String
  public let reason: Reason

  public init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  init(path: String, _ fault: AnswerFileFault) {
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
    case .foreign: "\(path) is no kept answer and was removed"
    case .otherVersion(let version): "\(path) has the unknown version \(version) and was removed"
    case .unreadable(let error): "\(error)"
    case .unremovable(let error): "\(path) had to go: \(error)"
    }
  }
}

// Stands in for swift-log 1.6: the declarations that the integrations use, with a small implementation.

/// Writes messages of a level, with metadata.
public struct Logger: Sendable {
  public enum Level: String, Codable, CaseIterable, Sendable, Comparable {
    case trace, debug, info, notice, warning, error, critical

    public static func < (left: Level, right: Level) -> Bool {
      guard let first = allCases.firstIndex(of: left), let second = allCases.firstIndex(of: right) else {
        return false
      }
      return first < second
    }
  }

  public typealias Metadata = [String: MetadataValue]

  public enum MetadataValue: Sendable, Equatable, CustomStringConvertible, ExpressibleByStringInterpolation {
    case string(String)
    case array([MetadataValue])
    case dictionary(Metadata)

    public init(stringLiteral value: String) { self = .string(value) }

    public var description: String {
      switch self {
      case .string(let text): text
      case .array(let values): "\(values)"
      case .dictionary(let values): "\(values)"
      }
    }
  }

  public struct Message: Sendable, Equatable, CustomStringConvertible, ExpressibleByStringInterpolation {
    public typealias StringLiteralType = String

    private let text: String

    public init(stringLiteral value: String) { text = value }

    public var description: String { text }
  }

  public let label: String
  public var handler: any LogHandler

  public init(label: String, factory: (String) -> any LogHandler) {
    self.label = label
    handler = factory(label)
  }

  public var logLevel: Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  public func log(
    level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
    source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
    line: UInt = #line
  ) {
    guard logLevel <= level else { return }
    handler.log(
      level: level, message: message(), metadata: metadata(), source: source() ?? "", file: file,
      function: function,
      line: line)
  }
}

public protocol LogHandler: Sendable {
  func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
    function: String, line: UInt)
  subscript(metadataKey _: String) -> Logger.MetadataValue? { get set }
  var metadata: Logger.Metadata { get set }
  var logLevel: Logger.Level { get set }
}

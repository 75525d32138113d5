// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Stands in for swift-nio 2.81 (NIOHTTP1): the declarations that the integrations use, with a small implementation.

public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  private var fields: [Field] = []

  public init() {}
  public init(_ headers: [(String, String)]) { fields = headers.map { Field(name: $0, value: $1) } }
  public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

  private struct Field: Sendable, Equatable {
    let name: String
    let value: String
  }

  public mutating func add(name: String, value: String) { fields.append(Field(name: name, value: value)) }
}

extension HTTPHeaders: Sequence {
  public struct Iterator: IteratorProtocol {
    fileprivate var rest: ArraySlice<(name: String, value: String)>

    public mutating func next() -> (name: String, value: String)? { rest.popFirst() }
  }

  public func makeIterator() -> Iterator { Iterator(rest: fields.map { ($0.name, $0.value) }[...]) }
}

public enum HTTPMethod: Sendable, Equatable {
  case GET, HEAD, POST, PUT, DELETE
  case RAW(value: String)

  public init(rawValue: String) {
    switch rawValue {
    case "GET": self = .GET
    case "HEAD": self = .HEAD
    case "POST": self = .POST
    case "PUT": self = .PUT
    case "DELETE": self = .DELETE
    default: self = .RAW(value: rawValue)
    }
  }

  public var rawValue: String {
    switch self {
    case .GET: "GET"
    case .HEAD: "HEAD"
    case .POST: "POST"
    case .PUT: "PUT"
    case .DELETE: "DELETE"
    case .RAW(let value): value
    }
  }
}

public struct HTTPVersion: Equatable, Sendable {
  public var major: Int
  public var minor: Int

  public init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

  public static let http1_0 = HTTPVersion(major: 1, minor: 0)
  public static let http1_1 = HTTPVersion(major: 1, minor: 1)
  public static let http2 = HTTPVersion(major: 2, minor: 0)
}

public struct HTTPResponseStatus: Sendable, Equatable {
  public let code: UInt

  public init(statusCode: Int, reasonPhrase: String = "") { code = UInt(statusCode) }

  public static let ok = HTTPResponseStatus(statusCode: 200)
}

public enum HTTPParserError: Error {
  case invalidEOFState
  case headerOverflow
  case invalidHeaderToken
}

// Stands in for swift-http-types 1.3: the declarations that the integrations use, with a small implementation.

public struct HTTPField: Sendable, Hashable {
  public struct Name: Sendable, Hashable {
    public let rawName: String
    public let canonicalName: String

    public init?(_ name: String) {
      guard HTTPField.isValidToken(name) else { return nil }
      rawName = name
      canonicalName = name.lowercased()
    }

    private init(known name: String) { (rawName, canonicalName) = (name, name.lowercased()) }

    public static func == (left: Name, right: Name) -> Bool { left.canonicalName == right.canonicalName }
    public func hash(into hasher: inout Hasher) { hasher.combine(canonicalName) }

    public static var contentLength: Self { Name(known: "Content-Length") }
    public static var contentType: Self { Name(known: "Content-Type") }
    public static var transferEncoding: Self { Name(known: "Transfer-Encoding") }
    public static var cookie: Self { Name(known: "Cookie") }
  }

  public struct DynamicTableIndexingStrategy: Sendable, Hashable {
    private let rawValue: UInt8

    public static var automatic: Self { Self(rawValue: 0) }
    public static var prefer: Self { Self(rawValue: 1) }
    public static var avoid: Self { Self(rawValue: 2) }
    public static var disallow: Self { Self(rawValue: 3) }
  }

  public var name: Name
  public var value: String
  public var indexingStrategy: DynamicTableIndexingStrategy = .automatic

  /// Invalid bytes become spaces.
  public init(name: Name, value: String) {
    self.name = name
    self.value = Self.isValidValue(value) ? value : Self.legal(value)
  }

  public static func isValidValue(_ value: String) -> Bool {
    let bytes = value.utf8
    func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
    return !isBlank(bytes.first) && !isBlank(bytes.last)
      && bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }

  private static func legal(_ value: String) -> String {
    let text = String(
      decoding: value.utf8.map { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) ? $0 : 0x20 }, as: UTF8.self)
    return String(
      text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }

  fileprivate static func isValidToken(_ token: String) -> Bool {
    !token.isEmpty
      && token.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
      }
  }
}

public struct HTTPFields: Sendable, Hashable {
  private var fields: [HTTPField] = []

  public init() {}

  public subscript(name: HTTPField.Name) -> String? {
    get {
      let values = self[values: name]
      return values.isEmpty ? nil : values.joined(separator: name == .cookie ? "; " : ", ")
    }
    set {
      let first = fields.firstIndex { $0.name == name }
      fields.removeAll { $0.name == name }
      guard let newValue else { return }
      fields.insert(HTTPField(name: name, value: newValue), at: first ?? fields.endIndex)
    }
  }

  public subscript(values name: HTTPField.Name) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
    fields = elements.map { HTTPField(name: $0, value: $1) }
  }
}

extension HTTPFields: RangeReplaceableCollection, RandomAccessCollection, MutableCollection {
  public typealias Element = HTTPField
  public typealias Index = Int

  public var startIndex: Int { fields.startIndex }
  public var endIndex: Int { fields.endIndex }
  public subscript(position: Int) -> HTTPField {
    get { fields[position] }
    set { fields[position] = newValue }
  }
  public mutating func replaceSubrange<C: Collection>(_ subrange: Range<Int>, with newElements: C)
  where C.Element == HTTPField {
    fields.replaceSubrange(subrange, with: newElements)
  }
  public mutating func reserveCapacity(_ capacity: Int) { fields.reserveCapacity(capacity) }
}

public struct HTTPRequest: Sendable, Hashable {
  public struct Method: Sendable, Hashable, RawRepresentable {
    public let rawValue: String

    public init?(_ method: String) {
      guard HTTPField.isValidToken(method) else { return nil }
      rawValue = method
    }

    public init?(rawValue: String) { self.init(rawValue) }

    private init(known name: String) { rawValue = name }

    public static var get: Self { Method(known: "GET") }
    public static var head: Self { Method(known: "HEAD") }
    public static var post: Self { Method(known: "POST") }
    public static var options: Self { Method(known: "OPTIONS") }
  }

  public var method: Method
  public var scheme: String?
  public var authority: String?
  public var path: String?
  public var extendedConnectProtocol: String?
  public var headerFields: HTTPFields

  public init(
    method: Method, scheme: String?, authority: String?, path: String?, headerFields: HTTPFields = [:]
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.headerFields = headerFields
  }
}

public struct HTTPResponse: Sendable, Hashable {
  public struct Status: Sendable, Hashable {
    public let code: Int
    public let reasonPhrase: String

    public init(code: Int, reasonPhrase: String = "") {
      precondition((0...999).contains(code), "Invalid status code")
      self.code = code
      self.reasonPhrase = reasonPhrase
    }
  }

  public var status: Status
  public var headerFields: HTTPFields

  public init(status: Status, headerFields: HTTPFields = [:]) {
    self.status = status
    self.headerFields = headerFields
  }
}

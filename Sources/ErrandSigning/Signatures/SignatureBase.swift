import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes the signature base of a message (RFC 9421, section 2.5). Each covered component is a line.
struct SignatureBase {
  private let message: SignableMessage
  private let types: StructuredFieldTypes
  private var output: [UInt8] = []
  /// The URL of the request; nil until it is needed.
  private var target: TargetURL?

  init(_ message: SignableMessage, _ types: StructuredFieldTypes) {
    (self.message, self.types) = (message, types)
    output.reserveCapacity(512)
  }

  /// Returns the whole base. Its last line has the parameters.
  consuming func finished(_ parameters: some Collection<UInt8>) -> Data {
    output.append(text: "\"@signature-params\": ")
    output += parameters
    return Data(output)
  }

  /// Appends the line of a component that was checked.
  /// - Throws: `.componentUnavailable`.
  mutating func append(_ component: MessageComponent) throws(SigningError) {
    output += component.lineStart
    let start = output.count
    let source = try component.options.isOfRequest ? request(for: component) : message
    if let derived = component.derived {
      try append(derived, of: source, component)
    } else {
      try append(fieldOf: source, component)
    }
    // A line break would let one component look like two.
    guard output[start...].allSatisfy({ FieldByte.isPrintable($0) || $0 == FieldByte.tab }) else {
      throw unavailable(
        component,
        "contains a line break, a control character or a character that is not ASCII; cover the field's bytes (bs)"
      )
    }
    output.append(UInt8(ascii: "\n"))
  }

  private func request(for component: MessageComponent) throws(SigningError) -> SignableMessage {
    guard case .response(_, let request) = message.start else {
      throw unavailable(
        component, "belongs to the request of a response, but the message is a request; remove req")
    }
    guard let request else {
      throw unavailable(component, "belongs to the request of the response; pass that request, too")
    }
    return request
  }

  private func unavailable(_ component: MessageComponent, _ problem: String) -> SigningError {
    SigningError(.componentUnavailable, "the component \(component) \(problem)")
  }

  // MARK: Derived components

  private mutating func append(
    _ derived: DerivedComponent, of message: SignableMessage, _ component: MessageComponent
  ) throws(SigningError) {
    switch message.start {
    case .response(let status, _):
      guard derived == .status else {
        throw unavailable(
          component,
          "belongs to a request, but the message is a response; add req to cover the response's request")
      }
      guard 100...999 ~= status.code else { throw unavailable(component, "is not a status of three digits") }
      output.append(number: Int64(status.code))
    case .request(let method, let url, let requestTarget):
      switch derived {
      case .status: throw unavailable(component, "belongs to a response, but the message is a request")
      case .method: output.append(text: method.rawValue)
      case .requestTarget where requestTarget != nil: output.append(text: requestTarget ?? "")
      default: try append(derived, try target(url, message.fields, component), component)
      }
    }
  }

  private mutating func target(
    _ url: URL, _ fields: HTTPFields, _ component: MessageComponent
  ) throws(SigningError) -> TargetURL {
    if let target { return target }
    var hosts = 0
    var host: String?
    fields.forEachValue(of: "Host") { value in
      hosts += 1
      host = ASCII.trimmed(value)
    }
    guard hosts < 2, let target = TargetURL(url.absoluteString, host: host) else {
      throw unavailable(component, "needs an absolute URL and one host; check the URL and the field Host")
    }
    self.target = target
    return target
  }

  private mutating func append(
    _ derived: DerivedComponent, _ target: TargetURL, _ component: MessageComponent
  ) throws(SigningError) {
    switch derived {
    case .method, .status: return
    case .targetURI:
      output += target.scheme
      output.append(text: "://")
      output += target.authority
      appendTarget(target)
    case .requestTarget: appendTarget(target)
    case .authority: output += target.authority
    case .scheme: output += target.scheme
    case .path: output += target.path
    case .query:
      output.append(FieldByte.question)
      output += target.query ?? []
    case .queryParameter:
      let values = QueryParameters.values(of: component.options.parameterName ?? "", in: target.query ?? [])
      guard let value = values.first else { throw unavailable(component, "is not in the URL's query") }
      // A signature does not say which of several values it covers.
      guard values.count == 1 else {
        throw unavailable(component, "appears more than once in the URL's query; cover @query")
      }
      output += value.utf8
    }
  }

  private mutating func appendTarget(_ target: TargetURL) {
    output += target.path
    guard let query = target.query else { return }
    output.append(FieldByte.question)
    output += query
  }

  // MARK: Fields

  private mutating func append(
    fieldOf message: SignableMessage, _ component: MessageComponent
  ) throws(SigningError) {
    if component.options.isStructured || component.options.key != nil {
      return try append(structured: lines(of: message, component), component)
    }
    var count = 0
    message.fields.forEachValue(of: component.name) { value in
      if count > 0 { output.append(text: ", ") }
      count += 1
      if component.options.isWrapped {
        output.append(FieldByte.colon)
        output.append(base64: Data(FieldLine.value(value)))
        output.append(FieldByte.colon)
      } else {
        FieldLine.append(value, to: &output)
      }
    }
    guard count > 0 else { throw missing(component) }
    // Set-Cookie has commas within its values, so combined lines would be ambiguous (section 7.5.6).
    if count > 1, component.name == "set-cookie", !component.options.isWrapped {
      throw unavailable(component, "has several lines, which cannot be combined; cover their bytes (bs)")
    }
  }

  private func lines(
    of message: SignableMessage, _ component: MessageComponent
  ) throws(SigningError) -> [String] {
    let lines = message.fields.values(of: component.name)
    if lines.isEmpty { throw missing(component) }
    return lines.map { String(decoding: FieldLine.value($0), as: UTF8.self) }
  }

  private func missing(_ component: MessageComponent) -> SigningError {
    unavailable(component, "is not in the message; add the field, or cover others")
  }

  private mutating func append(structured lines: [String], _ component: MessageComponent)
    throws(SigningError)
  {
    let type = types[component.name]
    do {
      if let key = component.options.key {
        guard type == nil || type == .dictionary else {
          throw unavailable(component, "is not a dictionary, so that it has no keys; cover the whole field")
        }
        guard let member = try StructuredDictionary(parsing: lines)[key] else {
          throw unavailable(component, "is not in the message: the field lacks the key")
        }
        output += try member.serialized().utf8
        return
      }
      switch type {
      case .dictionary: output += (try StructuredDictionary(parsing: lines).serialized() ?? "").utf8
      case .list: output += (try StructuredList(parsing: lines).serialized() ?? "").utf8
      case .item: output += try StructuredItem(parsing: lines).serialized().utf8
      case nil:
        throw unavailable(
          component,
          "has an unknown type; add the field to `structuredFields`, or cover it without sf")
      }
    } catch let error as SigningError {
      throw error
    } catch {
      throw unavailable(component, "is not a structured field of its type")
    }
  }
}

import ErrandCore

/// The text that `-w` prints after a response, with curl's names for its values.
struct WriteOut: Sendable, Hashable {
  private enum Piece: Sendable, Hashable {
    case text(String)
    case value(String)
    case field(String)
  }

  static let names = [
    "content_type", "errormsg", "exitcode", "http_code", "http_version", "method", "num_redirects",
    "response_code",
    "scheme", "size_download", "size_upload", "speed_download", "speed_upload", "time_appconnect",
    "time_connect",
    "time_namelookup", "time_starttransfer", "time_total", "url", "url_effective",
  ]

  private var pieces: [Piece] = []

  /// - Parameter format: The text, or `@FILE` for that of a file without its line breaks.
  init(_ format: String) throws(UsageError) {
    var text = ""
    var rest = format[...]
    if format.hasPrefix("@") {
      let path = String(format.dropFirst())
      do {
        rest = try SecretFile.text(in: path == "-" ? "/dev/stdin" : path, "text").filter { !$0.isNewline }[
          ...]
      } catch {
        throw UsageError("-w: \(error)")
      }
    }
    while let character = rest.popFirst() {
      if character == "%", rest.first == "%" {
        text.append(rest.removeFirst())
      } else if character == "%", rest.first == "{", let end = rest.firstIndex(of: "}") {
        let name = String(rest[..<end].dropFirst())
        guard Self.names.contains(name) else {
          throw UsageError(
            "-w has no value \(name.debugDescription)",
            hint: "It has \(Self.names.joined(separator: ", ")), and %header{NAME}.")
        }
        pieces += [.text(text), .value(name)]
        (text, rest) = ("", rest[rest.index(after: end)...])
      } else if character == "%", rest.hasPrefix("header{"), let end = rest.firstIndex(of: "}") {
        pieces += [.text(text), .field(String(rest[..<end].dropFirst("header{".count)))]
        (text, rest) = ("", rest[rest.index(after: end)...])
      } else if character == "\\", let next = rest.first, let escaped = Self.escapes[next] {
        rest.removeFirst()
        text.append(escaped)
      } else {
        text.append(character)
      }
    }
    pieces.append(.text(text))
  }

  private static let escapes: [Character: Character] = ["n": "\n", "r": "\r", "t": "\t", "\\": "\\"]

  /// What is known of a response, or of a failure.
  struct Values {
    let transfer: Transfer
    var status: HTTPStatus?
    var fields = HTTPFields()
    var url: String
    var timing: Timing?
    var exit = ExitCode.success
    var message = ""
  }

  /// - Parameter escapes: True for a terminal, which must not obey control characters from a server.
  func text(_ values: Values, escapes: Bool) -> String {
    func shown(_ value: String) -> String { escapes ? ControlEscaper.line(value) : value }
    return pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .value(let name): shown(Self.text(name, values))
      case .field(let name): shown(values.fields[name] ?? "")
      }
    }.joined()
  }

  /// Times are the seconds from the beginning of the request to the end of each step, as in curl.
  private static func text(_ name: String, _ values: Values) -> String {
    let timing = values.timing ?? Timing()
    let looked = timing.dns ?? .zero
    let connected = looked + (timing.connect ?? .zero)
    let secured = timing.tls.map { connected + $0 } ?? .zero
    func speed(_ bytes: Int64) -> String {
      timing.total > .zero ? "\(Int64(Double(bytes) / timing.total.seconds))" : "0"
    }
    return switch name {
    case "content_type": values.fields["Content-Type"] ?? ""
    case "errormsg": values.message
    case "exitcode": "\(values.exit.rawValue)"
    case "http_code", "response_code": pad(values.status?.code ?? 0)
    case "http_version": timing.httpVersion.map { "\($0)".replacing("HTTP/", with: "") } ?? "0"
    case "method": values.transfer.method.rawValue
    case "num_redirects": "\(timing.redirects)"
    case "scheme": String(values.url.prefix { $0 != ":" })
    case "size_download": "\(timing.bytesReceived)"
    case "size_upload": "\(timing.bytesSent)"
    case "speed_download": speed(timing.bytesReceived)
    case "speed_upload": speed(timing.bytesSent)
    case "time_appconnect": seconds(secured)
    case "time_connect": seconds(connected)
    case "time_namelookup": seconds(looked)
    case "time_starttransfer": seconds(timing.firstByte ?? .zero)
    case "time_total": seconds(timing.total)
    case "url": values.transfer.url
    default: values.url
    }
  }

  private static func pad(_ code: Int) -> String { String("00\(code)".suffix(3)) }

  /// Returns the seconds with six digits after the point.
  private static func seconds(_ duration: Duration) -> String {
    let microseconds = Int64((duration.seconds * 1_000_000).rounded())
    let digits = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
  }
}

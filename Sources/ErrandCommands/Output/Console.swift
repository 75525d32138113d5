import ErrandCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Standard output for bodies, and standard error for everything else.
struct Console: Sendable {
  let output: OutputDescriptor
  let error: OutputDescriptor

  static let standard = Console(output: .standardOutput, error: .standardError)

  /// Writes a line to standard error, with control characters escaped. Ignores write errors.
  func say(_ line: String) {
    try? error.write(ControlEscaper.line(line) + "\n")
  }

  func say(_ failure: CommandFailure) {
    say("errand: \(failure.message)")
    if let hint = failure.hint { say("  \(hint)") }
  }

  /// Shows a failure in the format of the command: as JSON on standard output, or as text on standard error.
  /// - Returns: The exit code of the failure.
  func end(with failure: CommandFailure, as format: OutputFormat) throws(OutputDescriptor.Failure) -> ExitCode
  {
    switch format {
    case .json: try show(JSONFailure(error: JSONReport.Failure(failure)))
    // After control-C the user needs no message.
    case .plain: if failure.exit != .interrupted { say(failure) }
    }
    return failure.exit
  }

  /// Writes one JSON object to standard output.
  func show(_ value: some Encodable) throws(OutputDescriptor.Failure) {
    try output.write(JSONText.text(value, isPretty: output.isTerminal) + "\n")
  }

  /// The lines of a response's head.
  /// - Parameter version: The version; nil if it is unknown, such as that of a stored response.
  static func head(
    _ status: HTTPStatus, _ fields: HTTPFields, version: HTTPVersion?, masksSecrets: Bool = false
  ) -> [String] {
    ["\(version ?? .http11) \(status)"]
      + fields.map { "\($0.name): \(masksSecrets && Secrets.standard.hides($0) ? "***" : $0.value)" }
  }
}

/// A file descriptor to write to: standard output, standard error, a device or a pipe.
final class OutputDescriptor: Sendable {
  enum Failure: Error, Sendable, CustomStringConvertible {
    /// The reader has closed the pipe, as `head` does.
    case readerGone
    case unwritable(String)

    var description: String {
      switch self {
      case .readerGone: "the reader has closed the pipe"
      case .unwritable(let reason): reason
      }
    }
  }

  static let standardOutput = OutputDescriptor(STDOUT_FILENO)
  static let standardError = OutputDescriptor(STDERR_FILENO)

  private static let writes = Atomic<Int>(0)
  /// True while a write blocks, which takes any time if the reader does not read.
  static var isWriting: Bool { writes.load(ordering: .relaxed) > 0 }

  private let descriptor: Int32
  let isTerminal: Bool

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// Opens an existing device or pipe.
  convenience init(opening path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure.unwritable("cannot open \(path): \(Self.reason())") }
    self.init(descriptor)
  }

  /// The number of columns of the terminal, or 80.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The number of lines of the terminal, or 24.
  var height: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    Self.writes.add(1, ordering: .relaxed)
    defer { Self.writes.subtract(1, ordering: .relaxed) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE {
        throw .readerGone
      } else if errno == EAGAIN {
        // Another process that shares the descriptor has made it non-blocking.
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, 1000)
      } else if errno != EINTR {
        throw .unwritable(Self.reason())
      }
    }
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    do {
      try bytes.withUnsafeBytes { try write($0) }
    } catch {
      throw error as? Failure ?? .unwritable("\(error)")
    }
  }

  func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  /// Writes the lines of a head, with control characters escaped, and an empty line after them.
  func write(head lines: [String]) throws(Failure) {
    try write(lines.map { ControlEscaper.line($0) + "\n" }.joined() + "\n")
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

/// Writes a response's body: unchanged, or with control characters escaped on a terminal.
struct BodyWriter {
  private let output: OutputDescriptor
  private var escaper = ControlEscaper(keepsLines: true)
  private var endsLine = true
  /// Lays out JSON; nil to write the body unchanged.
  private var printer: JSONPrinter?
  /// The number of bytes of a binary body that were not shown on a terminal; nil if the body is text.
  private var hidden: Int?
  private var isFirst = true

  /// - Parameter contentType: The content type of the body, to lay out JSON on a terminal; nil never to lay it
  ///   out.
  init(_ output: OutputDescriptor, laysOut contentType: String? = nil) {
    self.output = output
    if output.isTerminal, JSONPrinter.isJSON(contentType) {
      printer = JSONPrinter(hasColours: JSONPrinter.mayColour)
    }
  }

  mutating func write(_ chunk: Data) throws {
    guard output.isTerminal else {
      try chunk.withUnsafeBytes { try output.write($0) }
      return
    }
    if isFirst, chunk.prefix(1000).contains(0) { hidden = 0 }
    isFirst = false
    if let hidden {
      self.hidden = hidden + chunk.count
      return
    }
    let shown = escaper.escape(chunk)
    try show(printer?.print(shown) ?? shown)
  }

  /// Ends the body. On a terminal, adds a missing line break, so that the prompt begins on a new line.
  mutating func finish() throws {
    guard output.isTerminal else { return }
    if let hidden {
      return try output.write("(\(hidden) bytes of binary data; to write them to a file: -o FILE)\n")
    }
    let rest = escaper.finish()
    try show(printer?.print(rest) ?? rest)
    try show(printer?.finish() ?? [])
    if !endsLine { try show([0x0A]) }
  }

  private mutating func show(_ bytes: [UInt8]) throws {
    if let last = bytes.last { endsLine = last == 0x0A }
    try output.write(bytes)
  }
}

import ErrandCore

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

/// The destination of a body that does not go to standard output.
enum FileTarget: Sendable {
  /// A regular file, which is replaced once the body is complete.
  case file(path: String)
  /// A device or a pipe, such as `/dev/null`, which is opened for writing and never replaced.
  case device(path: String)
  /// A descriptor that the command was started with, such as `/dev/stdout` or `/dev/fd/3`. It is written at its
  /// current position.
  case descriptor(Int32)

  /// Checks a target before anything is sent.
  /// - Throws: `CommandFailure` if the target cannot be used.
  init(_ target: Transfer.Target, url: URL?) throws {
    switch target {
    case .standardOutput: self = .descriptor(STDOUT_FILENO)
    case .file(let path):
      switch try FilePlace(path) {
      case .regular(let path): self = .file(path: path)
      case .folder:
        throw CommandFailure(
          .localFile, "file", "\(path) is a folder, not a file", hint: "Add a file name: -o \(path)/NAME.")
      case .special(let path): self = .device(path: path)
      case .descriptor(let number):
        // Descriptors that this process opened itself have `FD_CLOEXEC`, and those that it was started with do
        // not.
        guard case let flags = fcntl(number, F_GETFD), flags >= 0, flags & FD_CLOEXEC == 0 else {
          throw CommandFailure(
            .localFile, "file", "the descriptor \(path) is not open",
            hint: "Open it in the shell: \(number)>FILE.")
        }
        self = .descriptor(number)
      }
    case .fileNamedByURL:
      let name = Self.nameOfDownload(from: url)
      guard FileDescriptor.status(of: name) == nil else {
        throw Self.exists(name)
      }
      self = .file(path: name)
    }
  }

  static func exists(_ name: String) -> CommandFailure {
    CommandFailure(
      .localFile, "file", "\(name) already exists and was not changed", hint: "To replace it: -o \(name).")
  }

  /// Opens a device or a descriptor; returns nil for a file, which is written once the body is complete.
  func opened() throws -> OutputDescriptor? {
    switch self {
    case .file: nil
    case .device(let path): try OutputDescriptor(opening: path)
    case .descriptor(let number): OutputDescriptor(number)
    }
  }

  /// Returns the name of a file that the user has not named.
  static func nameOfDownload(from url: URL?) -> String { url.flatMap(name) ?? "download" }

  /// Returns the last part of the URL's path, or nil if it is unsafe as a file name. A safe name has at most
  /// 240 bytes, does not begin with a dot or a dash, and contains no slash and no control character.
  static func name(from url: URL) -> String? {
    let encoded = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last
    return encoded.flatMap { decoded($0.utf8) }.flatMap(safe)
  }

  /// Returns the name in a `Content-Disposition` (RFC 6266), without folders; nil if it has none that is safe.
  static func name(inDisposition text: String) -> String? {
    var names: [String: String] = [:]
    var rest = text.drop { $0 != ";" }
    while rest.popFirst() != nil {
      let name = ASCII.trimmed(rest.prefix { $0 != "=" && $0 != ";" })
      rest = rest.drop { $0 != "=" && $0 != ";" }
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop { $0 == " " }
      var value = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let next = rest.popFirst(), next != "\"" {
          value.append(next == "\\" ? rest.popFirst() ?? next : next)
        }
        rest = rest.drop { $0 != ";" }
      } else {
        value = ASCII.trimmed(rest.prefix { $0 != ";" })
        rest = rest.drop { $0 != ";" }
      }
      names[ASCII.lowercased(name), default: value] = value
    }
    let extended = names["filename*"].flatMap { value -> String? in
      let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, ASCII.lowercased(String(parts[0])) == "utf-8" else { return nil }
      return decoded(parts[2].utf8)
    }
    guard let name = extended ?? names["filename"] else { return nil }
    return name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init).flatMap(safe)
  }

  /// Returns the name unless it is unsafe.
  private static func safe(_ name: String) -> String? {
    let isSafe =
      !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("-") && !name.contains("/")
      && name.utf8.count <= 240 && name.unicodeScalars.allSatisfy(ControlEscaper.isHarmless)
    return isSafe ? name : nil
  }

  /// Returns the text without its percent-encoding; nil if the encoding is malformed or the result is not UTF-8.
  private static func decoded(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte != 0x25 {
        bytes.append(byte)
      } else if rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        return nil
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

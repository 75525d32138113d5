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
  /// A regular file, which is replaced once the body is whole.
  case file(path: String)
  /// A device or a pipe, which is written to: `/dev/null` must never be replaced.
  case device(path: String)

  /// - Throws: `CommandFailure`, before anything is sent.
  init(_ target: Transfer.Target, url: URL?) throws {
    switch target {
    case .standardOutput: self = .device(path: "/dev/stdout")
    case .file(let path):
      switch Self.kind(path) {
      case nil: self = .file(path: path)
      case S_IFREG: self = .file(path: Self.resolved(path))
      case S_IFDIR:
        throw CommandFailure(
          .localFile, "file", "\(path) is a folder", hint: "Give a file name: -o \(path)/NAME.")
      default: self = .device(path: path)
      }
    case .fileNamedByURL:
      guard let name = url.flatMap(Self.name) else {
        throw CommandFailure(.usage, "usage", "the URL names no file", hint: "Name one with -o FILE.")
      }
      guard Self.kind(name) == nil else {
        throw CommandFailure(
          .localFile, "file", "\(name) exists already and is left as it is",
          hint: "To replace it, name it: -o \(name).")
      }
      self = .file(path: name)
    }
  }

  /// Returns the last part of the URL's path if it is safe as a file name: not hidden, with no leading
  /// dash, no slash and no control character.
  static func name(from url: URL) -> String? {
    let encoded = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last
    guard let encoded, let name = decoded(encoded.utf8), !name.isEmpty,
      !name.hasPrefix("."),
      !name.hasPrefix("-"), !name.contains("/"), name.utf8.count <= 240,
      name.unicodeScalars.allSatisfy(ControlEscaper.isHarmless)
    else { return nil }
    return name
  }

  /// Returns the text without its percent-encoding; nil if that is malformed, or not UTF-8.
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

  private static func kind(_ path: String) -> mode_t? {
    var info = stat()
    return stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
  }

  /// Resolves symbolic links, so that the file is replaced and not the link.
  private static func resolved(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

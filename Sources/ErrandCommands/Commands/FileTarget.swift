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
    case .standardOutput: self = .device(path: "/dev/stdout")
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
      guard let name = url.flatMap(Self.name) else {
        throw CommandFailure(.usage, "usage", "the URL has no file name", hint: "Name the file: -o FILE.")
      }
      guard FileDescriptor.status(of: name) == nil else {
        throw CommandFailure(
          .localFile, "file", "\(name) already exists and was not changed",
          hint: "To replace it: -o \(name).")
      }
      self = .file(path: name)
    }
  }

  /// Returns the last part of the URL's path, or nil if it is unsafe as a file name. A safe name has at most
  /// 240 bytes, does not begin with a dot or a dash, and contains no slash and no control character.
  static func name(from url: URL) -> String? {
    let encoded = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last
    guard let encoded, let name = decoded(encoded.utf8), !name.isEmpty,
      !name.hasPrefix("."),
      !name.hasPrefix("-"), !name.contains("/"), name.utf8.count <= 240,
      name.unicodeScalars.allSatisfy(ControlEscaper.isHarmless)
    else { return nil }
    return name
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

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Asks for a password on the terminal, which does not show it.
enum PasswordPrompt {
  static func ask(_ question: String) throws -> SecretText {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw UsageError(
        "-u has no password, and there is no terminal to ask for it", hint: "-u USER:PASSWORD, or --netrc.")
    }
    defer { close(terminal) }
    let output = OutputDescriptor(terminal)
    var before = termios()
    tcgetattr(terminal, &before)
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &silent)
    defer { tcsetattr(terminal, TCSAFLUSH, &before) }
    try output.write(ControlEscaper.line(question))
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 4096 {
      let count = read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { break }
      bytes.append(byte)
    }
    try output.write("\n")
    guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("the password is empty or not UTF-8")
    }
    return SecretText(text)
  }
}

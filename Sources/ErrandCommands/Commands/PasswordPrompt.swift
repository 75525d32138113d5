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
    var isEnded = false
    var byte: UInt8 = 0
    while bytes.count < 4096 {
      // Reading would not end when control-C cancels the task.
      try Task.checkCancellation()
      var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, 50) == 0 { continue }
      let count = read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      isEnded = count > 0 && byte == UInt8(ascii: "\n")
      if isEnded || count <= 0 { break }
      bytes.append(byte)
    }
    try output.write("\n")
    guard isEnded, let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("the password is not UTF-8, too long, or was not ended with Return")
    }
    return SecretText(text)
  }
}

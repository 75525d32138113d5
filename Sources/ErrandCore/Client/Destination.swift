/// Where the body of an answer goes: all that tells `send`, `download` and `stream` apart.
enum Destination: Sendable {
  case memory
  case file(Download)
  case stream

  var isFile: Bool {
    if case .file = self { true } else { false }
  }
}

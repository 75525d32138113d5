/// The destination of a response's body: the only difference between `send`, `download` and `stream`.
enum Destination: Sendable {
  case memory
  case file(Download)
  case stream

  var isFile: Bool {
    if case .file = self { true } else { false }
  }
}

/// The parts of a request and its response that `--print` names, as in HTTPie.
struct PrintedParts: OptionSet, Sendable, Hashable {
  let rawValue: Int

  static let requestHead = PrintedParts(rawValue: 1)
  static let requestBody = PrintedParts(rawValue: 2)
  static let responseHead = PrintedParts(rawValue: 4)
  static let responseBody = PrintedParts(rawValue: 8)
  static let request: PrintedParts = [.requestHead, .requestBody]

  init(rawValue: Int) { self.rawValue = rawValue }

  init(_ text: String) throws(UsageError) {
    self = []
    for letter in text {
      switch letter {
      case "H": insert(.requestHead)
      case "B": insert(.requestBody)
      case "h": insert(.responseHead)
      case "b": insert(.responseBody)
      default:
        throw UsageError(
          "--print takes the letters H, B, h and b, not \(text.debugDescription)",
          hint: "For example: --print hb prints the head and the body of the response.")
      }
    }
  }
}

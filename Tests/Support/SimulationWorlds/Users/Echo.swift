/// The text of the servers' responses, which names the attempt.
enum Echo {
  static func text(of index: Int, length: Int) -> String {
    "attempt \(index) " + String(repeating: ".", count: length)
  }

  static func index(in text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count >= 2, words[0] == "attempt" else { return nil }
    return Int(words[1])
  }
}

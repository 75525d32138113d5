/// The servers' answers say which try they answer.
enum Echo {
  static func text(of index: Int, length: Int) -> String {
    "try \(index) " + String(repeating: ".", count: length)
  }

  static func index(in text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count >= 2, words[0] == "try" else { return nil }
    return Int(words[1])
  }
}

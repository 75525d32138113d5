/// Finds the word that was probably meant by a misspelled one.
enum Spelling {
  /// Returns the candidate with the smallest distance, if that is at most a third of the word's letters (or
  /// 1).
  static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
    let word = word.lowercased()
    let best = candidates.map { ($0, distance(Array(word), Array($0.lowercased()))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, word.count / 3) else { return nil }
    return best.0
  }

  /// Returns the number of letters added, left out, replaced, or swapped (optimal string alignment).
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], before[j - 2] + 1)
        }
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}

/// Names, and beside each what belongs to it.
enum TwoColumns {
  /// - Parameter width: Of the names; nil for that of the longest.
  static func lines(_ rows: [(String, String)], width: Int? = nil) -> [String] {
    let width = width ?? rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "\(name)\(String(repeating: " ", count: width - name.count))  \(text)"
    }
  }
}

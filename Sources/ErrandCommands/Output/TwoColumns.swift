/// Formats names with a text beside each.
enum TwoColumns {
  /// - Parameter width: The width of the first column; nil for that of the longest name.
  static func lines(_ rows: [(String, String)], width: Int? = nil) -> [String] {
    let width = width ?? rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      "\(name)\(String(repeating: " ", count: width - name.count))  \(text)"
    }
  }
}

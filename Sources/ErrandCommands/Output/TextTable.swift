/// Rows of text in columns.
enum TextTable {
  /// Returns a line for each row, whose cells are as wide as the widest of their column.
  static func lines(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return (padded.dropLast() + row.suffix(1)).joined(separator: "  ")
    }
  }
}

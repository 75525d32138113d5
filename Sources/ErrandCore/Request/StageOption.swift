/// The options that make a request pass additional stages.
struct StageOption: OptionSet, Sendable {
  let rawValue: Int

  static let dependencies = StageOption(rawValue: 1)
  static let repeats = StageOption(rawValue: 2)
  static let caching = StageOption(rawValue: 4)
  static let signing = StageOption(rawValue: 8)

  private static let all: StageOption = [.dependencies, .repeats, .caching, .signing]
  /// All combinations of options, each at the index of its raw value.
  static let allSets = (0...all.rawValue).map { StageOption(rawValue: $0) }
}

/// The options for which a request passes a stage that others do not pass.
struct StageOption: OptionSet, Sendable {
  let rawValue: Int

  static let dependencies = StageOption(rawValue: 1)
  static let repeats = StageOption(rawValue: 2)
  static let caching = StageOption(rawValue: 4)
  static let signing = StageOption(rawValue: 8)

  private static let all: StageOption = [.dependencies, .repeats, .caching, .signing]
  /// All sets of options, each at its raw value.
  static let allSets = (0...all.rawValue).map { StageOption(rawValue: $0) }
}

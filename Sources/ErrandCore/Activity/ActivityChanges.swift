/// A set of an activity's properties.
struct ActivityChanges: OptionSet, Sendable {
  let rawValue: UInt8

  static let isShown = ActivityChanges(rawValue: 1)
  static let text = ActivityChanges(rawValue: 2)
  static let blocksInput = ActivityChanges(rawValue: 4)
  static let fraction = ActivityChanges(rawValue: 8)
  static let count = ActivityChanges(rawValue: 16)
}

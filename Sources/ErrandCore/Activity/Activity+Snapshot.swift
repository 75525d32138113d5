extension Activity {
  /// The state of an activity at one moment: everything needed to draw it.
  public struct Snapshot: Sendable, Hashable {
    /// True while the activity is to be drawn.
    public var isShown: Bool
    /// The text to show; empty for none.
    public var text: String
    /// True while the user must wait. Can be true before anything is shown.
    public var blocksInput: Bool
    /// The progress of all requests together, 0...1 in steps of a thousandth; nil if it is not known.
    public var fraction: Double?
    /// The number of requests under way.
    public var count: Int

    public init(
      isShown: Bool = false, text: String = "", blocksInput: Bool = false, fraction: Double? = nil,
      count: Int = 0
    ) {
      self.isShown = isShown
      self.text = text
      self.blocksInput = blocksInput
      self.fraction = fraction
      self.count = count
    }

    func changes(since old: Snapshot) -> ActivityChanges {
      var changes: ActivityChanges = []
      if isShown != old.isShown { changes.insert(.isShown) }
      if text != old.text { changes.insert(.text) }
      if blocksInput != old.blocksInput { changes.insert(.blocksInput) }
      if fraction != old.fraction { changes.insert(.fraction) }
      if count != old.count { changes.insert(.count) }
      return changes
    }
  }
}

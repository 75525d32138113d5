extension Activity {
  /// An activity at one moment: all that is needed to draw it.
  public struct Snapshot: Sendable, Hashable {
    /// There is something to draw.
    public var isShown: Bool
    /// What to say. Empty for nothing.
    public var text: String
    /// The user must wait. Can be true before anything is shown.
    public var blocksInput: Bool
    /// How far all requests are together, 0...1 in steps of a thousandth; nil if that is not known.
    public var fraction: Double?
    /// How many requests are under way.
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

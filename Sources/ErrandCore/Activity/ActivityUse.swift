/// How a request shows itself: in which activity, and as what.
public struct ActivityUse: Sendable {
  /// Where it is shown. The same object means the same activity.
  public let activity: Activity
  /// What is said while this request is the newest; nil for the activity's own text.
  public let text: String?
  /// The user must wait until it has ended.
  public let blocksInput: Bool

  public init(_ activity: Activity, text: String? = nil, blocksInput: Bool = false) {
    self.activity = activity
    self.text = text
    self.blocksInput = blocksInput
  }
}

extension ActivityUse: Hashable {
  public static func == (left: ActivityUse, right: ActivityUse) -> Bool {
    left.activity === right.activity && left.text == right.text && left.blocksInput == right.blocksInput
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(activity))
    hasher.combine(text)
    hasher.combine(blocksInput)
  }
}

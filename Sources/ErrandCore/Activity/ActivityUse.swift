/// How a request appears in an activity.
public struct ActivityUse: Sendable {
  /// The activity that shows the request. The same object means the same activity.
  public let activity: Activity
  /// The text to show while this request is the newest; nil for the activity's own text.
  public let text: String?
  /// True if the user must wait until the request has ended.
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

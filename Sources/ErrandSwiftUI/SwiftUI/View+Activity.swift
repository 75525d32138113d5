#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  extension View {
    /// Draws an activity over the view: its progress and its text. While the activity blocks input, the view
    /// takes no touches. VoiceOver reads the text when it appears and when it changes. With Reduce Motion,
    /// nothing fades.
    /// - Parameters:
    ///   - activity: The activity to draw.
    ///   - announcement: The text that VoiceOver reads for an activity without a text. Default: "Loading".
    public func activity(_ activity: RequestActivity, announcement: String = "Loading") -> some View {
      modifier(ActivityModifier(activity: activity, fallback: announcement))
    }
  }

  private struct ActivityModifier: ViewModifier {
    let activity: RequestActivity
    let fallback: String
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    func body(content: Content) -> some View {
      content
        .allowsHitTesting(!activity.blocksInput)
        .overlay {
          if activity.isShown {
            VStack {
              if let fraction = activity.fraction { ProgressView(value: fraction) } else { ProgressView() }
              if !activity.text.isEmpty { Text(activity.text) }
            }
          }
        }
        .animation(reducesMotion ? nil : .default, value: activity.isShown)
        .onChange(of: announcement, initial: true) { _, words in
          if !words.isEmpty { AccessibilityNotification.Announcement(words).post() }
        }
    }

    private var announcement: String {
      guard activity.isShown else { return "" }
      return activity.text.isEmpty ? fallback : activity.text
    }
  }
#endif

#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  extension View {
    /// Draws an activity over the view: its progress and its text. While it blocks input, the view takes no touches.
    /// VoiceOver reads the text out. With Reduce Motion nothing fades.
    public func activity(_ activity: Activity) -> some View { modifier(ActivityModifier(activity: activity)) }
  }

  private struct ActivityModifier: ViewModifier {
    let activity: Activity
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
        .onChange(of: announcement) { _, words in
          if !words.isEmpty { AccessibilityNotification.Announcement(words).post() }
        }
    }

    private var announcement: String { activity.isShown ? activity.text : "" }
  }
#endif

import ErrandCore

/// Decides what changes on the screen when an activity changes. Pure.
struct ActivityDrawing: Sendable {
  enum Effect: Sendable, Equatable {
    case show(animated: Bool)
    case hide(animated: Bool)
    /// Nil to hide the text.
    case text(String?)
    /// Nil while the progress is unknown.
    case progress(Double?)
    case block(Bool)
    /// Read out by VoiceOver.
    case announce(String)
  }

  private var drawn = RequestActivity.Snapshot()
  private var announced: String?

  /// Returns the changes to draw.
  /// - Parameters:
  ///   - reducesMotion: True if changes should not be animated.
  ///   - fallback: The announcement for an activity without a text.
  mutating func draw(
    _ snapshot: RequestActivity.Snapshot, reducesMotion: Bool, announcing fallback: String
  ) -> [Effect] {
    var effects: [Effect] = []
    if snapshot.blocksInput != drawn.blocksInput { effects.append(.block(snapshot.blocksInput)) }
    if snapshot.isShown {
      if snapshot.text != drawn.text || !drawn.isShown {
        effects.append(.text(snapshot.text.isEmpty ? nil : snapshot.text))
      }
      if snapshot.fraction != drawn.fraction || !drawn.isShown {
        effects.append(.progress(snapshot.fraction))
      }
      if !drawn.isShown { effects.append(.show(animated: !reducesMotion)) }
      let words = snapshot.text.isEmpty ? fallback : snapshot.text
      if words != announced, !words.isEmpty { effects.append(.announce(words)) }
      announced = words
    } else if drawn.isShown {
      effects.append(.hide(animated: !reducesMotion))
      announced = nil
    }
    drawn = snapshot
    return effects
  }
}

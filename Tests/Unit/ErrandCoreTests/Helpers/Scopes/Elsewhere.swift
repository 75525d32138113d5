/// A global actor other than the main actor.
@globalActor actor Elsewhere {
  static let shared = Elsewhere()
}

/// A global actor that is not the main one.
@globalActor actor Elsewhere {
  static let shared = Elsewhere()
}

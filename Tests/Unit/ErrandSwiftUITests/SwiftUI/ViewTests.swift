#if canImport(SwiftUI)
  import Testing

  /// Tests of views with a virtual clock, one at a time: a job of the main actor counts for each clock that is moved, so
  /// two clocks that are moved from the main actor wait for each other's work.
  @MainActor @Suite(.serialized) struct ViewTests {}
#endif

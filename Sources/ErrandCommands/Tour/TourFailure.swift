/// The reason why a step could not be shown.
struct TourFailure: Error, CustomStringConvertible {
  let description: String
}

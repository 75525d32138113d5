/// A step could not be shown.
struct TourFailure: Error, CustomStringConvertible {
  let description: String
}

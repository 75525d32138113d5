import ErrandTesting
import Foundation

extension SeededRandom {
  /// Exponentially distributed: times between things that do not know of each other.
  mutating func exponential(mean: Double) -> Double {
    -mean * log(1 - Double.random(in: 0..<1, using: &self))
  }
}

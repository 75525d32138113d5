import ErrandTesting
import Foundation

extension SeededRandom {
  /// Returns an exponentially distributed number, such as the time between independent events.
  mutating func exponential(mean: Double) -> Double {
    -mean * log(1 - Double.random(in: 0..<1, using: &self))
  }
}

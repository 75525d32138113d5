#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A piece of a body, in the order in which it is sent.
package enum BodySegment: Sendable, Hashable {
  case bytes(Data)
  case file(path: String)
}

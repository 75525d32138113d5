import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A small file that tells a folder from another one at its path, such as the mount point of a disk that is not mounted.
package struct FolderMark: Sendable {
  private let name: String
  private let data: Data

  package init(name: String, data: Data) {
    self.name = name
    self.data = data
  }

  /// Returns the reason why files that are missing in the folder may exist; nil if the mark is in the folder. May block.
  func problem(in folder: String) -> StoreAway? {
    let found = try? FileDescriptor(reading: "\(folder)/\(name)").read(data.count + 1, at: 0)
    if found == data { return nil }
    return StoreAway(.store, "the folder \(folder) is not the one with the stored bodies: mount its disk")
  }
}

import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The length and the times of a file, which change when the file is written to.
struct FileStamp: Equatable {
  private let length: Int64
  private let modified: [Int]
  private let changed: [Int]

  init(_ file: FileDescriptor) throws(FileError) {
    var info = stat()
    guard fstat(file.raw, &info) == 0 else { throw FileError(.read, file.path) }
    length = Int64(info.st_size)
    modified = [info.modified.tv_sec, info.modified.tv_nsec]
    changed = [info.changed.tv_sec, info.changed.tv_nsec]
  }
}

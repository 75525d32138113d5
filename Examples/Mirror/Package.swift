// swift-tools-version: 6.2
import PackageDescription

// In your package: .package(url: "https://github.com/OWNER/errand.git", from: "0.2.0")
let package = Package(
  name: "MirrorFiles",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "errand", path: "../..")],
  targets: [
    .executableTarget(name: "MirrorFiles", dependencies: [.product(name: "Errand", package: "errand")]),
    .testTarget(
      name: "MirrorFilesTests",
      dependencies: ["MirrorFiles", .product(name: "ErrandTesting", package: "errand")]),
  ]
)

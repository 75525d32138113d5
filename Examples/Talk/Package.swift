// swift-tools-version: 6.2
import PackageDescription

// In your package: .package(url: "https://github.com/OWNER/errand.git", from: "0.2.0")
let package = Package(
  name: "Talk",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "errand", path: "../..")],
  targets: [
    .executableTarget(name: "Talk", dependencies: [.product(name: "Errand", package: "errand")]),
    .testTarget(
      name: "TalkTests", dependencies: ["Talk", .product(name: "ErrandTesting", package: "errand")]),
  ]
)

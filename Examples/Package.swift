// swift-tools-version: 6.2
import PackageDescription

let errand = Target.Dependency.product(name: "Errand", package: "errand")
let signing = Target.Dependency.product(name: "ErrandSigning", package: "errand")
let testing = Target.Dependency.product(name: "ErrandTesting", package: "errand")

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  // In your package: .package(url: "https://github.com/OWNER/errand.git", from: "0.2.0")
  dependencies: [.package(name: "errand", path: "..")],
  targets: [
    .executableTarget(name: "Features", dependencies: [errand, signing, testing]),
    .executableTarget(name: "Tour", dependencies: [errand, testing]),
    // These examples start a mock server, which is in ErrandTesting.
    .executableTarget(name: "FeedReader", dependencies: [errand, testing]),
    .executableTarget(name: "Orders", dependencies: [errand, testing]),
    .executableTarget(name: "Downloader", dependencies: [errand, testing]),
    .testTarget(name: "WeatherTests", dependencies: [errand, testing]),
  ]
)

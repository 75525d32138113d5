// swift-tools-version: 6.2
import PackageDescription

// In your package: .package(url: "https://github.com/OWNER/errand.git", from: "0.2.0", traits: ["Postgres"])
let package = Package(
  name: "Webhooks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "errand", path: "../..", traits: ["Postgres"])],
  targets: [
    .executableTarget(
      name: "Webhooks",
      dependencies: ["Errand", "ErrandCurl", "ErrandOutboxPostgres", "ErrandSigning"].map {
        .product(name: $0, package: "errand")
      }),
    .testTarget(
      name: "WebhooksTests", dependencies: ["Webhooks", .product(name: "ErrandTesting", package: "errand")]),
  ]
)

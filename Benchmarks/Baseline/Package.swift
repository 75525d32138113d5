// swift-tools-version: 6.2
import PackageDescription

// The measuring program of `overhead`, built a second time: with the library as it once was. `Benchmarks/overhead` copies
// both beside each other. BASELINE leaves out what did not exist then.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "Baseline",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Errand", path: "../errand")],
  targets: [
    .target(name: "BenchmarkSupport", swiftSettings: strict),
    .executableTarget(
      name: "overhead",
      dependencies: [.product(name: "ErrandCore", package: "Errand"), "BenchmarkSupport"],
      swiftSettings: strict + [.define("BASELINE")]),
  ]
)

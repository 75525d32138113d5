// swift-tools-version: 6.2
import PackageDescription

// A second build of the `overhead` benchmark, with an earlier version of the library. `Benchmarks/overhead`
// copies both into one folder. BASELINE leaves out features that did not exist then.
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

// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that users of Errand never build it.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let authentication = Target.Dependency.product(name: "ErrandAuthentication", package: "Errand")
let core = Target.Dependency.product(name: "ErrandCore", package: "Errand")
let observability = Target.Dependency.product(name: "ErrandObservability", package: "Errand")
let curl = Target.Dependency.product(name: "ErrandCurl", package: "Errand")
let inspector = Target.Dependency.product(name: "ErrandInspector", package: "Errand")
let outbox = Target.Dependency.product(name: "ErrandOutbox", package: "Errand")
let outboxPostgres = Target.Dependency.product(name: "ErrandOutboxPostgres", package: "Errand")
let outboxSQLite = Target.Dependency.product(name: "ErrandOutboxSQLite", package: "Errand")
let signing = Target.Dependency.product(name: "ErrandSigning", package: "Errand")
let streaming = Target.Dependency.product(name: "ErrandStreaming", package: "Errand")
let structuredFields = Target.Dependency.product(name: "ErrandStructuredFields", package: "Errand")
let testing = Target.Dependency.product(name: "ErrandTesting", package: "Errand")
let urlSession = Target.Dependency.product(name: "ErrandURLSession", package: "Errand")

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Errand", path: "..", traits: ["Postgres", "Inspector"])],
  targets: [
    .target(name: "CurlLoop", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "GzipMaker", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CEpoll"),
    .target(name: "PlainSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CAllocator"),
    .target(name: "PlainCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "BenchmarkSupport", swiftSettings: strict),
    .executableTarget(
      name: "throughput", dependencies: [core, curl, urlSession, "CurlLoop", "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "transfer", dependencies: [core, curl, signing, "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "decoding", dependencies: [core, curl, "CurlLoop", "GzipMaker", "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "cancel", dependencies: [core, curl, "CEpoll", "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "connections",
      dependencies: [core, curl, streaming, "CAllocator", "CurlLoop", "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "overhead", dependencies: [authentication, core, curl, "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "caching", dependencies: [core, curl, "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "scheduling", dependencies: [core, testing, "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "crowds", dependencies: [core, testing, "CAllocator", "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "outbox", dependencies: [core, curl, outbox, outboxSQLite, "PlainSQLite", "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "fleet", dependencies: [core, curl, outbox, outboxPostgres, outboxSQLite, "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "encryption", dependencies: [signing, "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "structured-fields", dependencies: [structuredFields, "BenchmarkSupport"], swiftSettings: strict),
    .executableTarget(
      name: "signatures", dependencies: [core, signing, "PlainCrypto", "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(
      name: "watching", dependencies: [core, curl, inspector, observability, "BenchmarkSupport"],
      swiftSettings: strict),
    .executableTarget(name: "startup", dependencies: ["BenchmarkSupport"], swiftSettings: strict),
  ]
)

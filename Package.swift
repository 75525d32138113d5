// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "Errand",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Errand", targets: ["Errand"]),
    .library(name: "ErrandCore", targets: ["ErrandCore"]),
    .library(name: "ErrandCurl", targets: ["ErrandCurl"]),
    .library(name: "ErrandURLSession", targets: ["ErrandURLSession"]),
    .library(name: "ErrandTesting", targets: ["ErrandTesting"]),
    .executable(name: "errand", targets: ["ErrandCLI"]),
  ],
  targets: [
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

    .target(
      name: "ErrandCore", dependencies: ["CZlib"], swiftSettings: strict + [.strictMemorySafety()]),
    .target(name: "ErrandCurl", dependencies: ["ErrandCore", "CCurl"], swiftSettings: strict),
    .target(name: "ErrandURLSession", dependencies: ["ErrandCore"], swiftSettings: strict),
    .target(
      name: "Errand",
      dependencies: [
        "ErrandCore",
        .target(name: "ErrandCurl", condition: .when(platforms: [.linux])),
        .target(
          name: "ErrandURLSession",
          condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
      ],
      swiftSettings: strict),
    .target(name: "ErrandTesting", dependencies: ["ErrandCore"], swiftSettings: strict),
    .target(
      name: "ErrandCommands", dependencies: ["ErrandCore", "ErrandCurl", "ErrandTesting"],
      swiftSettings: strict),
    .executableTarget(name: "ErrandCLI", dependencies: ["ErrandCommands"], swiftSettings: strict),

    .testTarget(
      name: "ErrandCoreTests", dependencies: ["ErrandCore", "ErrandTesting"], swiftSettings: strict),
    .testTarget(
      name: "ErrandTestingTests", dependencies: ["ErrandTesting", "ErrandCore", "ErrandCurl"],
      swiftSettings: strict),
    .testTarget(
      name: "ErrandCurlTests", dependencies: ["ErrandCurl", "ErrandCore", "ErrandTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ErrandURLSessionTests", dependencies: ["ErrandURLSession", "ErrandCore", "ErrandTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "ErrandTests", dependencies: ["Errand", "ErrandCurl", "ErrandTesting"], swiftSettings: strict),
    .testTarget(
      name: "ErrandCommandsTests",
      dependencies: ["ErrandCommands", "ErrandCLI", "ErrandCore", "ErrandTesting"],
      swiftSettings: strict),
  ]
)

// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

// A debug build counts the locks that a thread holds, to check that no listener is called under a lock.
let lockChecks: [SwiftSetting] = [.define("ERRAND_LOCK_CHECKS", .when(configuration: .debug))]

// Debug builds contain the inspector; release builds contain it only with the trait Inspector.
let inspector: [SwiftSetting] = [
  .define("ERRAND_INSPECTOR", .when(configuration: .debug)),
  .define("ERRAND_INSPECTOR", .when(traits: ["Inspector"])),
]

// The points at which crash tests end the process.
let failpoints: [SwiftSetting] = [.define("ERRAND_FAILPOINTS", .when(configuration: .debug))]

// With ERRAND_STAND_INS, which `make test` sets, Linux has stand-ins for Apple's modules, to test the code that
// imports them. Each stand-in has another name, so that only targets with the alias find it.
let hasStandIns = Context.environment["ERRAND_STAND_INS"] != nil
func standIns(_ name: String) -> [Target.Dependency] { hasStandIns ? [.target(name: "\(name)StandIn")] : [] }
// Swift Testing has overlay modules for Apple's modules, which do not work with the stand-ins.
func aliasing(_ names: String...) -> [SwiftSetting] {
  guard hasStandIns else { return [] }
  let aliases = names.flatMap { ["-module-alias", "\($0)=\($0)StandIn"] }
  return [.unsafeFlags(aliases + ["-Xfrontend", "-disable-cross-import-overlays"])]
}
func importing(_ name: String) -> [SwiftSetting] { strict + aliasing(name) }

let libraries: [Target] = [
  .systemLibrary(
    name: "CCurl", pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
  .systemLibrary(
    name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .systemLibrary(
    name: "CBrotli", pkgConfig: "libbrotlidec",
    providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
  .systemLibrary(
    name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
  .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
  .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
  .systemLibrary(
    name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(
    name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

  // The one module below the core, so that the core imports no cryptography.
  .target(
    name: "ErrandCrypto", dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))],
    swiftSettings: strict + [.strictMemorySafety()]),
  .target(
    name: "ErrandCore",
    dependencies: [
      "CZlib", "ErrandCrypto",
      .target(name: "CIDN2", condition: .when(platforms: [.linux])),
    ],
    swiftSettings: strict + lockChecks + [.strictMemorySafety()],
    linkerSettings: [
      .linkedLibrary("iconv", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS]))
    ]),
  .target(
    name: "ErrandCookies",
    dependencies: [
      "ErrandCore", "ErrandCrypto", .target(name: "CPSL", condition: .when(platforms: [.linux])),
    ],
    swiftSettings: strict + [.strictMemorySafety()]),
  .target(
    name: "ErrandAuthentication", dependencies: ["ErrandCore", "ErrandCrypto", "ErrandServing"],
    swiftSettings: strict + [.strictMemorySafety()]),
  .target(
    name: "ErrandObservability", dependencies: ["ErrandCore", "ErrandServing"], swiftSettings: strict),
  .target(
    name: "ErrandStreaming", dependencies: ["ErrandCore", "ErrandReachability"], swiftSettings: strict),
  .target(
    name: "ErrandUploads", dependencies: ["ErrandCore", "ErrandCrypto", "ErrandStructuredFields"],
    swiftSettings: strict),
  .target(
    name: "ErrandReachability", dependencies: ["ErrandCore"],
    swiftSettings: strict + [.strictMemorySafety()]),
  .target(
    name: "ErrandCurl",
    dependencies: [
      "ErrandCore", "CCurl", "CZlib", "CBrotli", "CZstd",
      .target(name: "CCrypto", condition: .when(platforms: [.linux])),
    ],
    swiftSettings: strict),
  .target(name: "ErrandURLSession", dependencies: ["ErrandCore"], swiftSettings: strict),
  .target(
    name: "ErrandOutbox",
    dependencies: [
      "ErrandCore", "ErrandCrypto", "ErrandObservability", "ErrandReachability", "ErrandUploads",
      .target(name: "CCrypto", condition: .when(platforms: [.linux])),
    ],
    swiftSettings: strict + failpoints),
  .target(
    name: "ErrandOutboxSQLite", dependencies: ["ErrandCore", "ErrandOutbox", "CSQLite", "CZlib"],
    swiftSettings: strict),
  // This target is empty without the trait Postgres.
  .target(
    name: "ErrandOutboxPostgres",
    dependencies: [
      "ErrandCore", "ErrandCrypto", "ErrandOutbox",
      .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
    ],
    swiftSettings: strict),
  .target(name: "ErrandStructuredFields", swiftSettings: strict),
  .target(
    name: "ErrandSigning",
    dependencies: [
      "ErrandCore", "ErrandCrypto", "ErrandStructuredFields",
      .target(name: "CCrypto", condition: .when(platforms: [.linux])),
    ],
    swiftSettings: strict),
  .target(
    name: "ErrandUIKit", dependencies: ["ErrandCore"] + standIns("UIKit"),
    swiftSettings: importing("UIKit")),
  .target(
    name: "ErrandSwiftUI", dependencies: ["ErrandCore", "ErrandReachability"] + standIns("SwiftUI"),
    swiftSettings: importing("SwiftUI")),
  .target(
    name: "ErrandURLProtocol", dependencies: ["ErrandCore", "ErrandOutbox", "ErrandURLSession"],
    swiftSettings: strict),
  .target(
    name: "Errand",
    dependencies: [
      "ErrandAuthentication", "ErrandCookies", "ErrandCore", "ErrandObservability", "ErrandOutbox",
      "ErrandOutboxSQLite",
      "ErrandReachability", "ErrandStreaming", "ErrandUploads",
      .target(name: "ErrandCurl", condition: .when(platforms: [.linux])),
      .target(
        name: "ErrandURLSession",
        condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
    ],
    swiftSettings: strict),
  // A small HTTP server, for the inspector and for tests.
  .target(name: "ErrandServing", dependencies: ["ErrandCore"], swiftSettings: strict),
  .target(
    name: "ErrandInspector",
    dependencies: ["ErrandCore", "ErrandObservability", "ErrandOutbox", "ErrandServing"],
    resources: [.embedInCode("Console")], swiftSettings: strict + inspector),
  .target(
    name: "ErrandTesting",
    dependencies: ["CTaskHooks", "ErrandCore", "ErrandCrypto", "ErrandReachability", "ErrandServing"],
    swiftSettings: strict),
  // Tells the virtual clock which jobs Swift's runtime enqueues.
  .target(name: "CTaskHooks"),
  .target(
    name: "ErrandConformance",
    dependencies: ["ErrandAuthentication", "ErrandCore", "ErrandOutbox", "ErrandServing", "ErrandTesting"],
    swiftSettings: strict),
  .target(
    name: "ErrandCommands",
    dependencies: [
      "ErrandCookies", "ErrandAuthentication", "ErrandCore", "ErrandObservability", "ErrandOutbox",
      "ErrandOutboxSQLite",
      "ErrandOutboxPostgres",
      "ErrandCurl", "ErrandInspector", "ErrandSigning", "ErrandStreaming", "ErrandUploads",
    ],
    swiftSettings: strict),
  .executableTarget(name: "ErrandCLI", dependencies: ["ErrandCommands"], swiftSettings: strict),
]

let testHelpers: [Target] = [
  // The deterministic simulation. It is not a product, because its executor replaces that of the process.
  .target(name: "CSimulation", path: "Tests/Support/CSimulation"),
  .target(
    name: "SimulationExecutor", dependencies: ["CSimulation", "ErrandCore", "ErrandTesting"],
    path: "Tests/Support/SimulationExecutor", swiftSettings: strict),
  .target(
    name: "SimulationWorlds",
    dependencies: [
      "SimulationExecutor", "ErrandCore", "ErrandOutbox", "ErrandOutboxSQLite", "ErrandReachability",
      "ErrandStreaming", "ErrandTesting", "ErrandUploads",
    ],
    path: "Tests/Support/SimulationWorlds", swiftSettings: strict),
  .executableTarget(
    name: "simulate", dependencies: ["SimulationWorlds", "SimulationExecutor", "ErrandCore"],
    path: "Tests/Programs/simulate", swiftSettings: strict),

  // Starts other programs.
  .target(name: "CPrograms", path: "Tests/Support/CPrograms"),
  .target(
    name: "Programs", dependencies: ["CPrograms", "ErrandCore"], path: "Tests/Support/Programs",
    swiftSettings: strict),
  // Writes cached responses until it is killed.
  .executableTarget(
    name: "CacheWriter", dependencies: ["ErrandCore"], path: "Tests/Programs/CacheWriter",
    swiftSettings: strict),
  // Sets cookies in a file.
  .executableTarget(
    name: "CookieWriter", dependencies: ["ErrandCookies", "ErrandCore"], path: "Tests/Programs/CookieWriter",
    swiftSettings: strict),
  // Sends requests with the credential of a file that processes share.
  .executableTarget(
    name: "CredentialUser", dependencies: ["ErrandAuthentication", "ErrandCore", "ErrandCurl"],
    path: "Tests/Programs/CredentialUser",
    swiftSettings: strict),
  // Encrypts or decrypts its input.
  .executableTarget(
    name: "ContentCoding", dependencies: ["ErrandSigning"], path: "Tests/Programs/ContentCoding",
    swiftSettings: strict),
  // Records the file system calls of a test program, and makes them fail.
  .target(name: "CFileCalls", path: "Tests/Support/CFileCalls"),
  .target(
    name: "FileCalls", dependencies: ["CFileCalls"], path: "Tests/Support/FileCalls", swiftSettings: strict),
  // A client and an outbox with an inspector, for the test in a browser (scripts/browser).
  .executableTarget(
    name: "inspected",
    dependencies: [
      "ErrandInspector", "ErrandCore", "ErrandOutbox", "ErrandOutboxSQLite", "ErrandObservability",
      "ErrandTesting",
    ],
    path: "Tests/Programs/Inspected", swiftSettings: strict),
  // Helpers that the tests of all targets share.
  .target(
    name: "TestSupport", dependencies: ["ErrandCore"], path: "Tests/Support/TestSupport",
    swiftSettings: strict),
  // Gives a thread a separate network namespace, or denies it access to the network's state.
  .target(name: "CSandbox", path: "Tests/Support/CSandbox"),
  // The shared code of programs that run many seeds. scripts/programs lists these programs.
  .target(
    name: "SeededProgram", dependencies: ["ErrandCore"], path: "Tests/Support/SeededProgram",
    swiftSettings: strict),
  .executableTarget(
    name: "model",
    dependencies: ["SeededProgram", "ErrandOutbox", "ErrandOutboxSQLite", "ErrandTesting", "ErrandCore"],
    path: "Tests/Programs/StoreModel", swiftSettings: strict),
  // Records the changes that a program makes on its disk.
  .target(name: "CDiskTrace", path: "Tests/Support/CDiskTrace"),
  .executableTarget(
    name: "power-loss",
    dependencies: [
      "CDiskTrace", "CSQLite", "ErrandCore", "ErrandOutbox", "ErrandOutboxSQLite", "ErrandTesting",
    ],
    path: "Tests/Programs/PowerLoss", swiftSettings: strict),
  // Sends malformed requests, and checks with a raw socket what arrives.
  .executableTarget(
    name: "fuzz",
    dependencies: [
      "ErrandAuthentication", "ErrandCore", "ErrandCurl", "ErrandOutbox", "ErrandOutboxSQLite",
      "ErrandTesting",
    ],
    path: "Tests/Programs/Fuzz", swiftSettings: strict),
  // A private PostgreSQL server for tests.
  .target(
    name: "PostgresCluster", dependencies: ["ErrandCore", "Programs"], path: "Tests/Support/PostgresCluster",
    swiftSettings: strict),
  // Kills a process that uses an outbox, and starts it again.
  .target(
    name: "CrashCourse",
    dependencies: [
      "ErrandCore", "ErrandCrypto", "ErrandOutbox", "ErrandTesting", "ErrandUploads", "Programs",
    ],
    path: "Tests/Support/CrashCourse", swiftSettings: strict),
  .executableTarget(
    name: "OutboxWorker",
    dependencies: [
      "CrashCourse", "CDiskTrace", "ErrandOutbox", "ErrandOutboxSQLite", "ErrandOutboxPostgres",
      "ErrandCurl", "ErrandCore", "ErrandTesting",
    ],
    path: "Tests/Programs/OutboxWorker", swiftSettings: strict),
  .executableTarget(
    name: "crash", dependencies: ["CrashCourse", "OutboxWorker", "PostgresCluster"],
    path: "Tests/Programs/crash",
    swiftSettings: strict),
  // Kills, stops and disconnects workers that deliver from one PostgreSQL database.
  .target(
    name: "FleetCourse",
    dependencies: ["ErrandCore", "ErrandOutbox", "ErrandTesting", "PostgresCluster", "Programs"],
    path: "Tests/Support/FleetCourse", swiftSettings: strict),
  .executableTarget(
    name: "FleetWorker",
    dependencies: ["FleetCourse", "ErrandCore", "ErrandCurl", "ErrandOutbox", "ErrandOutboxPostgres"],
    path: "Tests/Programs/FleetWorker", swiftSettings: strict),
  .executableTarget(
    name: "fleet",
    dependencies: [
      "FleetCourse", "FleetWorker", "PostgresCluster", "ErrandCore", "ErrandCurl", "ErrandOutbox",
      "ErrandOutboxPostgres",
    ],
    path: "Tests/Programs/fleet", swiftSettings: strict),
]

let tests: [Target] = [
  .testTarget(
    name: "ErrandCoreTests",
    dependencies: [
      "ErrandAuthentication", "ErrandCookies", "ErrandCore", "ErrandCrypto", "ErrandConformance",
      "ErrandObservability",
      "ErrandTesting",
      "CacheWriter", "FileCalls",
      "Programs", "TestSupport",
    ],
    path: "Tests/Unit/ErrandCoreTests", swiftSettings: strict + lockChecks),
  .testTarget(
    name: "ErrandCookiesTests",
    dependencies: [
      "ErrandCookies", "ErrandCore", "ErrandCrypto", "ErrandTesting", "CookieWriter", "FileCalls",
      "Programs",
      "TestSupport",
    ],
    path: "Tests/Unit/ErrandCookiesTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandReachabilityTests",
    dependencies: ["ErrandReachability", "ErrandCore", "ErrandTesting", "CSandbox", "TestSupport"],
    path: "Tests/Unit/ErrandReachabilityTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandStreamingTests",
    dependencies: [
      "ErrandStreaming", "ErrandAuthentication", "ErrandCore", "ErrandCurl", "ErrandReachability",
      "ErrandTesting",
      "Programs", "TestSupport",
    ],
    path: "Tests/Unit/ErrandStreamingTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandUploadsTests",
    dependencies: [
      "ErrandUploads", "ErrandCore", "ErrandCrypto", "ErrandCurl", "ErrandTesting", "Programs", "TestSupport",
    ],
    path: "Tests/Unit/ErrandUploadsTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandTestingTests",
    dependencies: ["ErrandConformance", "ErrandTesting", "ErrandCore", "ErrandCurl", "TestSupport"],
    path: "Tests/Unit/ErrandTestingTests", swiftSettings: strict),
  .testTarget(
    name: "SimulationTests", dependencies: ["SimulationExecutor", "ErrandCore", "ErrandTesting"],
    path: "Tests/Unit/SimulationTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandCurlTests",
    dependencies: [
      "ErrandCurl", "ErrandAuthentication", "ErrandCore", "ErrandCrypto", "ErrandServing",
      "ErrandConformance",
      "ErrandObservability", "ErrandStreaming",
      "ErrandTesting", "CredentialUser",
      "Programs",
      "TestSupport",
      "CZstd",
    ],
    path: "Tests/Unit/ErrandCurlTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandOutboxTests",
    dependencies: [
      "ErrandOutbox", "ErrandOutboxSQLite", "ErrandReachability", "ErrandCurl", "ErrandAuthentication",
      "ErrandCore", "ErrandCrypto", "ErrandUploads",
      "ErrandConformance", "ErrandObservability", "ErrandTesting", "CrashCourse",
      "OutboxWorker", "CSandbox", "FileCalls", "Programs", "TestSupport", "ErrandOutboxPostgres",
      "PostgresCluster",
    ],
    path: "Tests/Unit/ErrandOutboxTests", swiftSettings: strict + failpoints),
  .testTarget(
    name: "ErrandOutboxPostgresTests",
    dependencies: [
      "ErrandOutboxPostgres", "ErrandOutbox", "ErrandCore", "ErrandCurl", "ErrandConformance",
      "ErrandTesting",
      "PostgresCluster",
      "Programs", "TestSupport", .target(name: "CPostgres", condition: .when(traits: ["Postgres"])),
    ],
    path: "Tests/Unit/ErrandOutboxPostgresTests", swiftSettings: strict),
  .testTarget(
    name: "FleetCourseTests", dependencies: ["FleetCourse"], path: "Tests/Unit/FleetCourseTests",
    swiftSettings: strict),
  .testTarget(
    name: "ErrandSigningTests",
    dependencies: [
      "ErrandSigning", "ErrandStructuredFields", "ErrandAuthentication", "ErrandCore", "ErrandCrypto",
      "ErrandCurl", "ErrandOutbox",
      "ErrandOutboxSQLite", "ErrandTesting",
      "ContentCoding", "Programs", "TestSupport",
    ],
    path: "Tests/Unit/ErrandSigningTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandURLSessionTests",
    dependencies: [
      "ErrandURLSession", "ErrandAuthentication", "ErrandCore", "ErrandConformance", "ErrandTesting",
      "TestSupport",
    ],
    path: "Tests/Unit/ErrandURLSessionTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandUIKitTests",
    dependencies: [
      "ErrandUIKit", "ErrandCore", "ErrandConformance", "ErrandTesting", "ErrandCurl", "TestSupport",
    ]
      + standIns("UIKit"),
    path: "Tests/Unit/ErrandUIKitTests", swiftSettings: importing("UIKit")),
  .testTarget(
    name: "ErrandSwiftUITests",
    dependencies: [
      "ErrandSwiftUI", "ErrandAuthentication", "ErrandCore", "ErrandReachability", "ErrandTesting",
    ]
      + standIns("SwiftUI"),
    path: "Tests/Unit/ErrandSwiftUITests", swiftSettings: importing("SwiftUI")),
  .testTarget(
    name: "ErrandURLProtocolTests",
    dependencies: [
      "ErrandURLProtocol", "ErrandURLSession", "ErrandOutbox", "ErrandOutboxSQLite", "ErrandCurl",
      "ErrandAuthentication", "ErrandCore",
      "ErrandTesting", "TestSupport",
    ],
    path: "Tests/Unit/ErrandURLProtocolTests", swiftSettings: strict),
  .testTarget(
    name: "ErrandInspectorTests",
    dependencies: [
      "ErrandInspector", "ErrandAuthentication", "ErrandCore", "ErrandCurl", "ErrandOutbox",
      "ErrandOutboxSQLite", "ErrandServing", "ErrandObservability",
      "ErrandTesting",
      "Programs", "TestSupport",
    ],
    path: "Tests/Unit/ErrandInspectorTests", swiftSettings: strict + inspector),
  .testTarget(
    name: "ErrandTests",
    dependencies: [
      "Errand", "ErrandAuthentication", "ErrandCore", "ErrandCurl", "ErrandInspector",
      "ErrandOutboxPostgres", "ErrandSigning", "ErrandStructuredFields",
      "ErrandSwiftUI", "ErrandConformance", "ErrandTesting", "ErrandUIKit", "ErrandURLProtocol",
      "Programs", "TestSupport",
    ] + standIns("UIKit") + standIns("SwiftUI"),
    path: "Tests/Unit/ErrandTests", swiftSettings: strict + aliasing("UIKit", "SwiftUI")),
  .testTarget(
    name: "ErrandCommandsTests",
    dependencies: [
      "ErrandCommands", "ErrandCLI", "ExampleFeatures", "ExampleTour", "ErrandAuthentication", "ErrandCore",
      "ErrandCrypto",
      "ErrandOutbox",
      "ErrandSigning",
      "ErrandConformance",
      "ErrandTesting",
      "PostgresCluster", "Programs",
      "TestSupport",
    ],
    path: "Tests/Unit/ErrandCommandsTests", swiftSettings: strict),
]

let examples: [Target] = [
  // The targets of the package in `Examples` under other names, so that a broken example fails the build.
  .executableTarget(
    name: "ExampleFeatures", dependencies: ["Errand", "ErrandSigning", "ErrandTesting"],
    path: "Examples/Sources/Features"),
  .executableTarget(
    name: "ExampleTour", dependencies: ["Errand", "ErrandTesting"], path: "Examples/Sources/Tour"),
  .executableTarget(
    name: "ExampleFeedReader", dependencies: ["Errand", "ErrandTesting"],
    path: "Examples/Sources/FeedReader"),
  .executableTarget(
    name: "ExampleOrders", dependencies: ["Errand", "ErrandTesting"], path: "Examples/Sources/Orders"),
  .executableTarget(
    name: "ExampleDownloader", dependencies: ["Errand", "ErrandTesting"],
    path: "Examples/Sources/Downloader"),
  // Three whole programs, which are separate packages.
  .executableTarget(
    name: "Webhooks", dependencies: ["Errand", "ErrandCurl", "ErrandOutboxPostgres", "ErrandSigning"],
    path: "Examples/Webhooks/Sources/Webhooks"),
  .testTarget(
    name: "WebhooksTests", dependencies: ["Webhooks", "ErrandTesting"],
    path: "Examples/Webhooks/Tests/WebhooksTests"),
  .executableTarget(
    name: "MirrorFiles", dependencies: ["Errand"], path: "Examples/Mirror/Sources/MirrorFiles"),
  .testTarget(
    name: "MirrorFilesTests", dependencies: ["MirrorFiles", "ErrandTesting"],
    path: "Examples/Mirror/Tests/MirrorFilesTests"),
  .executableTarget(name: "Talk", dependencies: ["Errand"], path: "Examples/Talk/Sources/Talk"),
  .testTarget(
    name: "TalkTests", dependencies: ["Talk", "ErrandTesting"], path: "Examples/Talk/Tests/TalkTests"),
  .testTarget(
    name: "ExampleWeatherTests", dependencies: ["Errand", "ErrandTesting"],
    path: "Examples/Tests/WeatherTests"),
]

let package = Package(
  name: "Errand",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Errand", targets: ["Errand"]),
    .library(name: "ErrandCore", targets: ["ErrandCore"]),
    .library(name: "ErrandCookies", targets: ["ErrandCookies"]),
    .library(name: "ErrandAuthentication", targets: ["ErrandAuthentication"]),
    .library(name: "ErrandObservability", targets: ["ErrandObservability"]),
    .library(name: "ErrandReachability", targets: ["ErrandReachability"]),
    .library(name: "ErrandStreaming", targets: ["ErrandStreaming"]),
    .library(name: "ErrandUploads", targets: ["ErrandUploads"]),
    .library(name: "ErrandCurl", targets: ["ErrandCurl"]),
    .library(name: "ErrandURLSession", targets: ["ErrandURLSession"]),
    .library(name: "ErrandOutbox", targets: ["ErrandOutbox"]),
    .library(name: "ErrandOutboxSQLite", targets: ["ErrandOutboxSQLite"]),
    .library(name: "ErrandOutboxPostgres", targets: ["ErrandOutboxPostgres"]),
    .library(name: "ErrandStructuredFields", targets: ["ErrandStructuredFields"]),
    .library(name: "ErrandSigning", targets: ["ErrandSigning"]),
    .library(name: "ErrandUIKit", targets: ["ErrandUIKit"]),
    .library(name: "ErrandSwiftUI", targets: ["ErrandSwiftUI"]),
    .library(name: "ErrandURLProtocol", targets: ["ErrandURLProtocol"]),
    .library(name: "ErrandInspector", targets: ["ErrandInspector"]),
    .library(name: "ErrandTesting", targets: ["ErrandTesting"]),
    .library(name: "ErrandConformance", targets: ["ErrandConformance"]),
    .executable(name: "errand", targets: ["ErrandCLI"]),
  ],
  traits: [
    .trait(name: "Postgres", description: "The outbox on PostgreSQL, for a fleet of machines: needs libpq."),
    .trait(name: "Inspector", description: "The inspector's page also in release builds."),
  ],
  targets: libraries + testHelpers + tests + examples
)

// The two example apps, which Linux builds with the stand-ins.
if hasStandIns {
  let apps = [("Feed", "UIKit"), ("Chat", "SwiftUI")]
  package.targets += apps.map { name, framework in
    .executableTarget(
      name: "Example\(name)App",
      dependencies: ["Errand", .byName(name: "Errand\(framework)")] + standIns(framework),
      path: "Examples/Apps/\(name)", swiftSettings: aliasing(framework))
  }
  package.targets.append(
    .testTarget(
      name: "ExampleAppsTests",
      dependencies: [
        "ExampleFeedApp", "ExampleChatApp", "Errand", "ErrandCore", "ErrandOutbox", "ErrandReachability",
        "ErrandUIKit",
        "ErrandTesting", "TestSupport",
      ] + standIns("UIKit") + standIns("SwiftUI"),
      path: "Tests/Unit/ExampleAppsTests", swiftSettings: strict + aliasing("UIKit", "SwiftUI")))
  package.targets += ["SwiftUI", "UIKit"].map { name in
    .target(name: "\(name)StandIn", path: "Tests/AppleStandIns/\(name)")
  }
}

// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let errand = Target.Dependency.product(name: "Errand", package: "errand")

func integration(_ name: String, _ neighbours: Target.Dependency...) -> Target {
  .target(name: name, dependencies: [errand] + neighbours, swiftSettings: settings)
}

let package = Package(
  name: "errand-integrations",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ErrandLogging", targets: ["ErrandLogging"]),
    .library(name: "ErrandMetrics", targets: ["ErrandMetrics"]),
    .library(name: "ErrandTracing", targets: ["ErrandTracing"]),
    .library(name: "ErrandServiceLifecycle", targets: ["ErrandServiceLifecycle"]),
    .library(name: "ErrandHTTPTypes", targets: ["ErrandHTTPTypes"]),
    .library(name: "ErrandOpenAPI", targets: ["ErrandOpenAPI"]),
    .library(name: "ErrandAsyncHTTPClient", targets: ["ErrandAsyncHTTPClient"]),
  ],
  // The versions from which the stand-ins in Tests/NeighbourStandIns were written.
  dependencies: [
    .package(name: "errand", path: ".."),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-openapi-runtime.git", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.81.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.24.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.29.0"),
  ],
  targets: [
    integration("ErrandLogging", .product(name: "Logging", package: "swift-log")),
    integration("ErrandMetrics", .product(name: "CoreMetrics", package: "swift-metrics")),
    integration("ErrandTracing", .product(name: "Tracing", package: "swift-distributed-tracing")),
    integration(
      "ErrandServiceLifecycle", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")),
    integration("ErrandHTTPTypes", .product(name: "HTTPTypes", package: "swift-http-types")),
    integration(
      "ErrandOpenAPI", "ErrandHTTPTypes", .product(name: "HTTPTypes", package: "swift-http-types"),
      .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime")),
    integration(
      "ErrandAsyncHTTPClient", .product(name: "AsyncHTTPClient", package: "async-http-client"),
      .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      .product(name: "NIOHTTP1", package: "swift-nio"),
      .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
      .product(name: "NIOSSL", package: "swift-nio-ssl")),
  ]
)

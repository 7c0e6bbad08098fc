// swift-tools-version: 6.2
// House rules: one section per layer; a target imports nothing from a layer below its own, and only what it lists here.
// The C libraries are Debian's; README.md names the packages, and `make deps` installs what is missing.

import PackageDescription

/// Warnings fail the build; the upcoming features are those that Swift 7 is expected to turn on.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "ringi",
  products: [
    .executable(name: "ringid", targets: ["ringid"]),
    .executable(name: "ringi", targets: ["ringi"]),
    .executable(name: "ringi-sandbox", targets: ["ringi-sandbox"]),
    .library(name: "RingiKit", targets: ["RingiKit"]),
  ],
  targets: [
    // C libraries
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CRingiPlugin"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CUnistring", providers: [.apt(["libunistring-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // Foundations
    library("Crypto", ["CCrypto"]),
    library("EventLoop", ["CLinux", "Timing"]),
    library("JSON", ["CJansson"]),
    library("SQLite", ["CSQLite", "EventLoop"]),
    library("Text", ["CUnistring"]),
    library("Timing"),
    library("YAML", ["CYAML", "JSON"]),

    // Protocols
    library("HTTP", ["CCurl", "EventLoop", "JSON", "Timing"]),
    library("HTTPServer", ["CLinux", "CMicroHTTPD", "EventLoop"]),
    library("JSONRPC", ["JSON"]),
    library("NativeLibrary", ["CLinux", "CRingiPlugin", "JSON"]),

    // Ringi
    library("RingiModel", ["JSON", "Timing"]),
    library("RingiKit", ["EventLoop", "HTTP", "JSON", "JSONRPC", "RingiModel", "Timing"]),
    library(
      "RingiCore",
      [
        "CLinux", "Crypto", "EventLoop", "HTTP", "JSON", "JSONRPC", "NativeLibrary", "RingiKit", "RingiModel", "SQLite",
        "Text", "Timing",
      ]),
    library("Providers", ["Crypto", "HTTPServer", "RingiKit"]),
    .target(name: "PluginTemplates", resources: [.embedInCode("Files")], swiftSettings: settings),
    library("RingiClient", ["CLinux", "JSON", "PluginTemplates", "RingiModel", "Text", "Timing", "YAML"]),
    library("Sandbox", ["Crypto", "HTTPServer", "JSON", "Timing"]),

    // Programs
    program("ringi", ["RingiClient"]),
    program("ringi-sandbox", ["Sandbox"]),
    program("ringid", ["EventLoop", "Providers", "RingiCore", "RingiKit", "RingiModel", "Text", "Timing"]),

    // Tests
    library("RingiTestSupport", ["EventLoop", "JSON", "JSONRPC", "RingiCore", "RingiKit", "Sandbox", "Timing"]),
    tests("CryptoTests", ["Crypto"]),
    tests(
      "EndToEndTests",
      ["HTTPServer", "JSON", "JSONRPC", "RingiTestSupport", "SQLite", "Sandbox", "ringi", "ringi-sandbox", "ringid"]),
    tests("EventLoopTests", ["EventLoop", "RingiTestSupport", "Timing"]),
    tests("HTTPTests", ["EventLoop", "HTTP", "HTTPServer", "JSON", "RingiTestSupport", "Timing"]),
    tests("JSONRPCTests", ["JSON", "JSONRPC"]),
    tests("JSONTests", ["CJansson", "JSON"]),
    tests(
      "ProvidersTests",
      [
        "EventLoop", "HTTP", "HTTPServer", "JSON", "JSONRPC", "Providers", "RingiCore", "RingiKit", "RingiModel",
        "RingiTestSupport", "Sandbox", "Timing",
      ]),
    tests("RingiCLITests", ["JSON", "PluginTemplates", "RingiClient", "Text", "Timing", "ringi"]),
    tests(
      "RingiCoreTests",
      [
        "EventLoop", "HTTPServer", "JSON", "JSONRPC", "Providers", "RingiCore", "RingiKit", "RingiModel",
        "RingiTestSupport", "SQLite", "Sandbox", "Timing",
      ]),
    tests("RingiModelTests", ["JSON", "RingiModel", "Timing"]),
    tests("SQLiteTests", ["RingiTestSupport", "SQLite"]),
    tests(
      "SandboxTests", ["EventLoop", "HTTPServer", "JSON", "RingiTestSupport", "Sandbox", "Timing", "ringi-sandbox"]),
    tests("TextTests", ["Text"]),
    tests("TimingTests", ["Timing"]),
    tests("YAMLTests", ["JSON", "YAML"]),
  ]
)

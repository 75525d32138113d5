@_spi(Benchmarks) import ErrandSigning
import Foundation

// Encrypts or decrypts its standard input with `aes128gcm`, to compare other implementations with it:
//
//     content-coding encrypt --key BASE64 [--id TEXT] [--record-size N] [--padding N] [--piece N]
//     content-coding decrypt --key BASE64 [--id TEXT] [--piece N]

struct Wrong: Error, CustomStringConvertible {
  let description: String
}

func run() throws {
  var words = CommandLine.arguments.dropFirst()
  let action = words.popFirst()
  var options: [String: String] = [:]
  while let name = words.popFirst() {
    guard name.hasPrefix("--"), let value = words.popFirst() else {
      throw Wrong(description: "\(name) has no value")
    }
    options[String(name.dropFirst(2))] = value
  }
  func number(_ name: String, _ standard: Int) throws -> Int {
    guard let text = options[name] else { return standard }
    guard let number = Int(text), number >= 0 else { throw Wrong(description: "--\(name) takes a number") }
    return number
  }
  guard let data = options["key"].flatMap({ Data(base64Encoded: $0) }) else {
    throw Wrong(description: "--key takes a key in base64")
  }
  let key = try ContentKey(data, id: options["id"] ?? "")
  let input = try FileHandle.standardInput.readToEnd() ?? Data()
  let length = max(1, try number("piece", 65_536))
  let pieces = stride(from: 0, to: input.count, by: length).map { input[$0..<min($0 + length, input.count)] }
  let output = FileHandle.standardOutput
  switch action {
  case "encrypt":
    var encoder = try AES128GCMEncoder(
      key: key, recordSize: number("record-size", 4096), padding: .bytes(number("padding", 0)))
    for piece in pieces { try output.write(contentsOf: encoder.update(piece)) }
    try output.write(contentsOf: encoder.finish())
  case "decrypt":
    var decoder = AES128GCMDecoder()
    for piece in pieces {
      try output.write(contentsOf: decoder.update(piece))
      if let id = decoder.neededKeyID {
        try output.write(contentsOf: decoder.use(ContentKeys([key]).contentKey(for: id)))
      }
    }
    try output.write(contentsOf: decoder.finish())
  default: throw Wrong(description: "the first argument must be encrypt or decrypt")
  }
}

do {
  try run()
} catch {
  FileHandle.standardError.write(Data("content-coding: \(error)\n".utf8))
  exit(1)
}

import BenchmarkSupport
@_spi(Benchmarks) import ErrandSigning
import Foundation

// Measures the rate of the `aes128gcm` content coding in records of 4 KiB, and compares it with AES-128-GCM in
// OpenSSL, which creates neither records nor tags.

/// Returns the rate of `openssl speed` in bytes per second.
func referenceRate(block: Int, seconds: Int) throws -> Double {
  let note = FileManager.default.temporaryDirectory.appending(path: "errand-encryption-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: note) }
  try Child.run(
    ["sh", "-c", "exec openssl speed -mr -seconds \(seconds) -bytes \(block) -evp aes-128-gcm 2>/dev/null"],
    output: note.path)
  // +F:22:AES-128-GCM:3183516800.00
  let lines = try String(contentsOf: note, encoding: .utf8).split(separator: "\n")
  guard let line = lines.last(where: { $0.hasPrefix("+F:") }),
    let rate = line.split(separator: ":").last.flatMap({ Double($0) })
  else { throw Arguments.Wrong(description: "openssl speed did not print a rate") }
  return rate
}

/// Calls `work`, which handles `size` bytes, for a number of seconds of processor time, and returns the bytes
/// per second. `openssl speed` also counts processor time.
func rate(_ size: Int, seconds: Int, _ work: () throws -> Void) rethrows -> Double {
  try work()
  var count = 0
  let begin = ProcessUsage.cpuSeconds
  while ProcessUsage.cpuSeconds - begin < Double(seconds) {
    try work()
    count += 1
  }
  return Double(count * size) / (ProcessUsage.cpuSeconds - begin)
}

func encrypted(_ content: Data, pieces: Int, recordSize: Int, with key: ContentKey) throws -> [Data] {
  var encoder = try AES128GCMEncoder(key: key, recordSize: recordSize)
  var output: [Data] = []
  for start in stride(from: 0, to: content.count, by: pieces) {
    output.append(try encoder.update(content[start..<min(start + pieces, content.count)]))
  }
  return output + [try encoder.finish()]
}

func decryptedCount(_ pieces: [Data], with key: ContentKey) throws -> Int {
  var decoder = AES128GCMDecoder()
  var count = 0
  for piece in pieces {
    count += try decoder.update(piece).count
    if decoder.neededKeyID != nil { count += try decoder.use(key).count }
  }
  return count + (try decoder.finish().count)
}

do {
  let arguments = try Arguments(["rounds", "seconds", "record-size", "piece", "size"])
  let rounds = try arguments.number("rounds", default: 5)
  let seconds = try arguments.number("seconds", default: 1)
  let recordSize = try arguments.number("record-size", default: 4096)
  let piece = try arguments.number("piece", default: 65_536)
  let size = try arguments.number("size", default: 8 << 20)

  let key = try ContentKey.random()
  let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  let sealed = try encrypted(content, pieces: piece, recordSize: recordSize, with: key).reduce(Data(), +)
  let pieces = stride(from: 0, to: sealed.count, by: piece).map {
    Data(sealed[$0..<min($0 + piece, sealed.count)])
  }
  guard try decryptedCount(pieces, with: key) == size else {
    throw Arguments.Wrong(description: "the encrypted data does not decrypt to the original")
  }

  var rates: (openssl: [Double], encryption: [Double], decryption: [Double]) = ([], [], [])
  for _ in 0..<rounds {
    rates.openssl.append(try referenceRate(block: recordSize, seconds: seconds))
    rates.encryption.append(
      try rate(size, seconds: seconds) {
        _ = try encrypted(content, pieces: piece, recordSize: recordSize, with: key)
      })
    rates.decryption.append(try rate(size, seconds: seconds) { _ = try decryptedCount(pieces, with: key) })
  }
  func shown(_ rates: [Double]) -> String { (Statistics.median(rates) / 1e6).fixed(0).right(12) }
  func ratio(_ rates: [Double], _ others: [Double]) -> String {
    Statistics.medianRatio(rates, others).fixed(2).right(12)
  }
  print("records of \(recordSize) bytes, in pieces of \(piece), medians of \(rounds) rounds")
  print("  openssl speed        \(shown(rates.openssl)) MB/s")
  print("  encryption           \(shown(rates.encryption)) MB/s")
  print("  decryption           \(shown(rates.decryption)) MB/s")
  print("  encryption/openssl   \(ratio(rates.encryption, rates.openssl))  (at least 0.6)")
  print("  decryption/openssl   \(ratio(rates.decryption, rates.openssl))  (at least 0.6)")
} catch {
  FileHandle.standardError.write(Data("encryption: \(error)\n".utf8))
  exit(1)
}

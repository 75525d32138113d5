import BenchmarkSupport
import ErrandStructuredFields

// Measures the rates of parsing and serializing structured fields (RFC 9651) with long values of each kind.
// They are compared with a parser that only splits the same text at its commas.

let arguments = try Arguments(["rounds", "size"])
let rounds = try arguments.number("rounds", default: 5)
let size = try arguments.number("size", default: 256 << 10)
let repeats = max(1, (16 << 20) / size)

/// Returns as many members as fit, separated by `, `.
func value(_ member: (Int) -> String) -> String {
  var (text, index) = (member(0), 1)
  while true {
    let next = ", " + member(index)
    guard text.utf8.count + next.utf8.count <= size else { return text }
    text += next
    index += 1
  }
}

/// Returns the median rate in MB per second of processor time. The first round is a warm-up.
func rate(_ count: Int, _ work: () throws -> Int) rethrows -> Double {
  var rates: [Double] = []
  for round in 0...rounds {
    let begin = ProcessUsage.cpuSeconds
    var sum = 0
    for _ in 0..<repeats { sum &+= try work() }
    let seconds = ProcessUsage.cpuSeconds - begin
    precondition(sum > 0)
    if round > 0 { rates.append(Double(count * repeats) / seconds / 1e6) }
  }
  return Statistics.median(rates)
}

func report(_ name: String, _ text: String, _ parse: (String) throws -> (Int, () throws -> String?)) throws {
  let count = text.utf8.count
  let (_, serialize) = try parse(text)
  let serialized = try serialize()?.utf8.count ?? 0
  let parsing = try rate(count) { try parse(text).0 }
  let serializing = try rate(serialized) { try serialize()?.utf8.count ?? 0 }
  let splitting = rate(count) {
    text.utf8.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }.count
  }
  print(
    "  \(name.left(24))\(parsing.fixed(0).right(10))\(serializing.fixed(0).right(14))"
      + "\(splitting.fixed(0).right(12))\((parsing / splitting).fixed(2).right(10))")
}

func list(_ text: String) throws -> (Int, () throws -> String?) {
  let list = try StructuredList(parsing: text, maximumBytes: size)
  return (list.members.count, { try list.serialized() })
}

func dictionary(_ text: String) throws -> (Int, () throws -> String?) {
  let dictionary = try StructuredDictionary(parsing: text, maximumBytes: size)
  return (dictionary.count, { try dictionary.serialized() })
}

let words = ["sugar", "tea", "rum", "text/html", "application/json", "gzip", "br", "*"]
let base64 = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="

print("structured fields of \(size) bytes, MB/s, medians of \(rounds) rounds (parsing at least 100)")
print("  \("".left(24))   parsing   serializing   splitting     ratio")
try report("list of tokens", value { words[$0 % words.count] }, list)
try report("list of integers", value { String($0 &* 7919) }, list)
try report("list of decimals", value { "\($0 % 999).\($0 % 7 + 1)" }, list)
try report("list of strings", value { "\"\(words[$0 % words.count]) and some more text\"" }, list)
try report("list of byte sequences", value { _ in ":\(base64):" }, list)
try report("list with parameters", value { "\(words[$0 % words.count]);q=0.\($0 % 9 + 1);a" }, list)
try report("list of inner lists", value { "(\"@method\" \"@path\" \"date\");created=16188\($0)" }, list)
try report("dictionary", value { "key\($0)=\($0)" }, dictionary)
try report("dictionary, one key", value { "a=\($0)" }, dictionary)

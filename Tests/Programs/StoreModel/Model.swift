import Foundation
import SeededProgram

/// Compares a store with a model of it, or damages its file: `model [sequences|damage] [SEEDS [FIRST]]`.
@main struct Model {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "damage":
      let program = SeededProgram("model damage", arguments.dropFirst(), seeds: 8)
      let damage = try await StoreDamage()
      await program.run { seed in
        var complaints = seed % 8 == 1 ? try await damage.cut() : []
        complaints += try await damage.flip(seed)
        complaints += try await damage.scribble(seed)
        return complaints
      }
    default:
      let rest = arguments.first == "sequences" ? arguments.dropFirst() : arguments
      await SeededProgram("model sequences", rest, seeds: 24).run { seed in
        let run = ModelRun(seed: seed)
        try await run.run(250)
        return run.complaints
      }
    }
  }
}

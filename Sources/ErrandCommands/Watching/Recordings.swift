import ErrandCore
import ErrandObservability

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RecordingArguments {
  /// Returns the listeners that write the files.
  /// - Throws: `CommandFailure` if a file cannot be written.
  func listeners(_ console: Console) throws -> [any EventListener] {
    let report: @Sendable (any Error) -> Void = { console.say("errand: a call was not recorded: \($0)") }
    do {
      var listeners: [any EventListener] = []
      if let har { listeners.append(try HARRecorder(file: URL(literalPath: har), onFailure: report)) }
      if let trace { listeners.append(try ChromeTrace(file: URL(literalPath: trace), onFailure: report)) }
      return listeners
    } catch {
      throw CommandFailure(.localFile, "file", "the recording cannot be written: \(error)")
    }
  }
}

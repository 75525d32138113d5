import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The whole tool, from the arguments to the exit status.
public enum Program {
  /// Runs the tool and ends the process. Must be called on the main thread, which it blocks.
  /// - Parameters:
  ///   - values: The C strings of `argv`: the tool's name, then its arguments.
  ///   - count: The number of these strings, `argc`.
  public static func main(_ values: UnsafePointer<UnsafeMutablePointer<CChar>?>, count: Int32) -> Never {
    StandardDescriptors.reserve()
    let arguments = (1..<max(1, Int(count))).compactMap { place in
      values[place].map { value in
        ArgumentBytes.text(of: UnsafeRawBufferPointer(start: value, count: strlen(value)))
      }
    }
    Interruption.block()
    let task = Task.detached {
      let code = await run(arguments, .standard)
      // A command that reached a final result despite the signal keeps its exit code.
      if Interruption.number != nil, ![.success, .deadLettered, .expired].contains(code) {
        _exit(Interruption.exitCode)
      }
      guard let code else { endByBrokenPipe() }
      // Nothing is buffered, and the system closes the connections.
      _exit(code.rawValue)
    }
    Interruption.wait { task.cancel() }
  }

  /// Runs the tool and returns its exit code, or nil if the reader of standard output has closed it.
  @concurrent static func run(_ arguments: [String], _ console: Console) async -> ExitCode? {
    do {
      let defaults = try options(for: arguments)
      if let warning = defaults.warning { console.say("errand: warning: \(warning)") }
      switch try Invocation.parsed(arguments, defaults) {
      case .transfer(let transfer):
        guard let guarantee = transfer.guarantee else {
          var command = TransferCommand(transfer: transfer, console: console)
          return try await command.run()
        }
        return try await GuaranteedCommand(
          transfer: transfer, guarantee: guarantee, file: defaults, console: console
        ).run()
      case .transfers(let transfers, let atOnce):
        return try await run(transfers, atOnce: atOnce, console)
      case .outbox(let action): return try await OutboxCommand(action: action, console: console).run()
      case .cache(let action): return try await CacheCommand(action: action, console: console).run()
      case .events(let action): return try await EventsCommand(action: action, console: console).run()
      case .inspect(let port, let arguments):
        return await InspectCommand(port: port, console: console) { await run(arguments, console) }.run()
      case .completion(let shell): try console.output.write(CompletionScript.text(for: shell))
      case .manual: try console.output.write(ManPage.text)
      case .version(let isLong): try console.output.write(VersionText.text(isLong: isLong))
      case .help(let topic): try console.output.write(HelpText.text(topic))
      }
      return .success
    } catch OutputDescriptor.Failure.readerGone {
      return nil
    } catch is CancellationError {
      return .interrupted
    } catch {
      let failure = CommandFailure(error)
      console.say(failure)
      return failure.exit
    }
  }

  /// Returns the user's options. Help and the like do not need them, so there a problem of their file does not matter.
  private static func options(for arguments: [String]) throws -> ConfigFile {
    do {
      return try ConfigFile.ofUser()
    } catch {
      switch try? Invocation(arguments) {
      case .help, .version, .manual, .completion: return ConfigFile()
      default: throw error
      }
    }
  }

  /// Runs the transfers, and returns the exit code of the first one that failed.
  private static func run(_ transfers: [Transfer], atOnce: Bool, _ console: Console) async throws -> ExitCode
  {
    if transfers.contains(where: \.readsPipe), PipedInput.isGiven {
      throw UsageError(
        "standard input can be read only once, so it is the body for one URL",
        hint: "--ignore-stdin sends no body.")
    }
    let connections = Connections()
    guard atOnce else {
      var exit = ExitCode.success
      for transfer in transfers {
        var command = TransferCommand(transfer: transfer, console: console, connections: connections)
        let code = try await command.run()
        if code == .interrupted { return code }
        if exit == .success { exit = code }
      }
      return exit
    }
    return try await withThrowingTaskGroup(of: (Int, ExitCode).self) { group in
      var codes = [ExitCode](repeating: .success, count: transfers.count)
      for (index, var transfer) in transfers.enumerated() {
        // Several progress bars would share one line.
        transfer.showsProgress = false
        group.addTask { [transfer] in
          var command = TransferCommand(transfer: transfer, console: console, connections: connections)
          return (index, try await command.run())
        }
      }
      for try await (index, code) in group { codes[index] = code }
      return codes.first { $0 != .success } ?? .success
    }
  }

  /// Ends the process by SIGPIPE, as other tools do when their reader closes the pipe, so that the shell prints
  /// nothing.
  private static func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
  }
}

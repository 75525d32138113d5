import ErrandCommands

Program.main(CommandLine.unsafeArgv, count: CommandLine.argc)

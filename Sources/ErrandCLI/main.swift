import ErrandCommands

Program.main(Array(CommandLine.arguments.dropFirst()))

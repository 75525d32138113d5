import ErrandCommands

await Program.main(Array(CommandLine.arguments.dropFirst()))

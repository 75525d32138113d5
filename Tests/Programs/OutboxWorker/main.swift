import CrashCourse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// Stores and delivers test requests until it is done, is killed, or kills itself. Its arguments are those of
// `WorkerOrders`.
guard let orders = WorkerOrders(words: Array(CommandLine.arguments.dropFirst())) else {
  Worker.say("wrong words")
  exit(2)
}
do {
  try await Worker(orders).work()
} catch {
  Worker.say("error \(error)")
  exit(1)
}

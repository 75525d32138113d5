import FleetCourse

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// Delivers from a database until SIGTERM. Its arguments are those of `FleetOrders`.

// The main thread waits for the signal; all others are started after it is blocked.
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
pthread_sigmask(SIG_BLOCK, &signals, nil)
signal(SIGPIPE, SIG_IGN)

guard let orders = FleetOrders(words: Array(CommandLine.arguments.dropFirst())) else {
  FleetWorker.say("wrong words")
  exit(2)
}
let worker = FleetWorker(orders)
Task.detached { await worker.work() }
Task.detached { await worker.endWithParent() }
var number: Int32 = 0
sigwait(&signals, &number)
Task.detached {
  await worker.end()
  exit(0)
}
while true { pause() }

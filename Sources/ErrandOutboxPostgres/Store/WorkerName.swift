#if Postgres
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  enum WorkerName {
    /// The machine's name and the process's number.
    static var own: String {
      var name = [CChar](repeating: 0, count: 256)
      gethostname(&name, name.count - 1)
      let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return "\(host)/\(getpid())"
    }
  }
#endif

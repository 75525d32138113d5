#if Postgres
  import ErrandOutbox
  import Testing

  @testable import ErrandOutboxPostgres

  @Suite struct PostgresURLTests {
    @Test(arguments: [
      "postgres://u:s3cret/x@127.0.0.1:1/a", "postgres://u:1234/x@127.0.0.1:1/a", "postgres://u:s3cret@h@i/a",
      "postgres://u@h:s3cret/a", "postgres://u@h:70000/a", "postgres://u@h:0/a", "postgres://u@h:-1/a",
      "postgres://u:s3cret%@h/a", "s3cret", "mysql://u:s3cret@h/a",
      "postgres://u@h/a?host=s3cret:x", "postgres://u@h/a?port=s3cret", "postgres://u:s3cret@h/a?nonsense=1",
    ]) func `the error for an invalid URL shows nothing of it`(_ text: String) {
      let error = #expect(throws: OutboxError.self) { try PostgresURL(text) }
      #expect(error?.code == .failed)
      for part in ["s3", "cret", "1234", "70000"] { #expect(error?.message.contains(part) == false) }
    }

    @Test(arguments: [
      ("postgres://u:p@h/a", "the database a on h"),
      ("postgresql://u:p@h:5433/a", "the database a on h:5433"),
      ("postgres://u:p@h:1,i:2/a", "the database a on h,i:1,2"),
      ("postgres://[::1]:5432/a", "the database a on ::1:5432"),
      ("postgres:///a?host=/run/postgresql", "the database a on /run/postgresql"),
      ("postgres://u:p%40%2F@h/a", "the database a on h"),
    ]) func `a description names the host and the database`(_ text: String, _ description: String) throws {
      #expect(try PostgresURL(text).description == description)
    }
  }
#endif

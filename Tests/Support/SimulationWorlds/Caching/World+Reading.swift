#if os(Linux)
  import ErrandCore
  import ErrandTesting

  extension World {
    /// Reads documents, and changes some of them in between.
    func read(_ random: SeededRandom, scope: Int? = nil, in real: RequestScope? = nil) async {
      var random = random
      var document = Int.random(in: plan.documents.indices, using: &random)
      let reader = Reader.allCases[Int.random(in: Reader.allCases.indices, using: &random)]
      for _ in 0..<Int.random(in: 2...4, using: &random) {
        if random.once(in: 4) { document = Int.random(in: plan.documents.indices, using: &random) }
        let (ask, patience) = (ask(&random, scope: scope), random.patience())
        let isChange = random.once(in: 4)
        let made = isChange ? changing(document, reader, ask) : reading(document, reader, ask, &random)
        switch (isChange, Int.random(in: 0..<4, using: &random)) {
        case (false, 0): await stream(made, in: real, &random)
        case (false, 1): await start(made, in: real, &random)
        default: await send(made, in: real, leavingAfter: patience)
        }
        // What changes a document is often followed by a look at it.
        if !isChange, random.once(in: 2) { await pause(random.milliseconds(1...2500)) }
      }
    }

    private func reading(_ document: Int, _ reader: Reader, _ ask: Ask, _ random: inout SeededRandom) -> Ask {
      var ask = at(document, ask)
      ask.method = .get
      ask.text = ""
      ask.hasKey = false
      let language =
        random.once(in: 3)
        ? nil : Reading.languages[Int.random(in: Reading.languages.indices, using: &random)]
      ask.reading = Reading(document: document, reader: reader, language: language, wish: .pick(&random))
      return ask
    }

    private func changing(_ document: Int, _ reader: Reader, _ ask: Ask) -> Ask {
      var ask = at(document, ask)
      if ask.method == .get { ask.method = .delete }
      ask.text = ask.method == .delete ? "" : "body of \(ask.id)"
      let companion = ask.method == .post ? plan.documents[document].companion : nil
      ask.writer = reader
      ask.changes = Set([document, companion].compactMap(\.self))
      return ask
    }

    private func at(_ document: Int, _ ask: Ask) -> Ask {
      var ask = ask
      ask.waits = nil
      ask.host = plan.hosts[0]
      ask.path = "\(DocumentServer.prefix)\(document)"
      return ask
    }
  }

  extension Reading {
    func apply(to request: Request) -> Request {
      var request = wish.apply(to: request)
      if let language { request = request.field("Accept-Language", language) }
      return reader.apply(to: request)
    }
  }

  extension Reader {
    func apply(to request: Request) -> Request {
      field.map { request.field($0.name, $0.value) } ?? request
    }
  }
#endif

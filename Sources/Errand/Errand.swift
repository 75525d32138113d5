@_exported public import ErrandCore

#if canImport(ErrandURLSession) && canImport(Darwin)
  @_exported public import ErrandURLSession
#else
  @_exported public import ErrandCurl
#endif

@_exported public import ErrandCore
@_exported public import ErrandOutbox

#if canImport(ErrandURLSession) && canImport(Darwin)
  @_exported public import ErrandURLSession
#else
  @_exported public import ErrandCurl
#endif

@_exported public import ErrandAuthentication
@_exported public import ErrandCookies
@_exported public import ErrandCore
@_exported public import ErrandObservability
@_exported public import ErrandOutbox
@_exported public import ErrandOutboxSQLite
@_exported public import ErrandReachability
@_exported public import ErrandStreaming
@_exported public import ErrandUploads

#if canImport(ErrandURLSession) && canImport(Darwin)
  @_exported public import ErrandURLSession
#else
  @_exported public import ErrandCurl
#endif

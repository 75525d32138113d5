#ifndef ERRAND_CCURL_SHIM_H
#define ERRAND_CCURL_SHIM_H

// The type checks are macros over the variadic functions; the wrappers below do their work.
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#else
#include <pthread.h>
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>

// Names this thread for debuggers and profilers.
static inline void errand_name_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name, 0, 0, 0);
#else
  pthread_setname_np(name);
#endif
}

// libcurl's setters and getters are variadic, which Swift cannot call: one wrapper for each argument type.

static inline CURLcode errand_setopt_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode errand_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode errand_setopt_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode errand_setopt_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

typedef size_t (*errand_data_callback)(char *buffer, size_t size, size_t count, void *user);

static inline CURLcode errand_setopt_data_callback(CURL *easy, CURLoption option, errand_data_callback value) {
  return curl_easy_setopt(easy, option, value);
}

typedef int (*errand_progress_callback)(void *user, curl_off_t dltotal, curl_off_t dlnow, curl_off_t ultotal,
                                        curl_off_t ulnow);

static inline CURLcode errand_setopt_progress_callback(CURL *easy, errand_progress_callback value) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

typedef int (*errand_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *user, void *socket_user);

static inline CURLMcode errand_multi_set_socket_callback(CURLM *multi, errand_socket_callback value, void *user) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, user);
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

typedef int (*errand_timer_callback)(CURLM *multi, long milliseconds, void *user);

static inline CURLMcode errand_multi_set_timer_callback(CURLM *multi, errand_timer_callback value, void *user) {
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, user);
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

typedef curl_socket_t (*errand_opensocket_callback)(void *user, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode errand_setopt_opensocket_callback(CURL *easy, errand_opensocket_callback value, void *user) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, user);
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

// A socket that no program inherits, or -1.
static inline curl_socket_t errand_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}

// Copies the IP address, and returns its number of bytes; 0 for an address of another kind. libcurl's structure has room
// for more than a `sockaddr`.
static inline size_t errand_address(const struct curl_sockaddr *address, uint8_t bytes[16]) {
  const char *start = (const char *)&address->addr;
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    memcpy(bytes, start + offsetof(struct sockaddr_in, sin_addr), 4);
    return 4;
  }
  if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    memcpy(bytes, start + offsetof(struct sockaddr_in6, sin6_addr), 16);
    return 16;
  }
  return 0;
}

typedef int (*errand_prereq_callback)(void *user, char *remote_address, char *local_address, int remote_port,
                                      int local_port);

static inline void errand_setopt_prereq_callback(CURL *easy, errand_prereq_callback value) {
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

typedef int (*errand_trailer_callback)(struct curl_slist **list, void *user);

static inline void errand_setopt_trailer_callback(CURL *easy, errand_trailer_callback value) {
  curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, value);
}

// What libcurl's messages tell about a transfer, and the state of the check of its response's head.
typedef struct {
  bool guards_head;
  bool has_field;
  bool is_head_refused;
  // The server has certainly not processed the request (RFC 9113, section 8.7).
  bool is_stream_refused;
  // libcurl sends the request again with HTTP/1.1, because the server asked for that.
  bool is_downgraded;
  // Called with the head of each request as it is sent, if it is set.
  void (*sent_head)(const char *text, size_t size, void *owner);
  void *owner;
} errand_notes;

static inline bool errand_begins(const char *text, size_t size, const char *part) {
  size_t length = strlen(part);
  return size >= length && memcmp(text, part, length) == 0;
}

// Returns true if the message has the words before and after a stream's number.
static inline bool errand_is_about_stream(const char *text, size_t size, const char *before, const char *after) {
  if (!errand_begins(text, size, before)) return false;
  size_t at = strlen(before);
  while (at < size && text[at] >= '0' && text[at] <= '9') at++;
  return errand_begins(text + at, size - at, after);
}

// Only the beginning of a message is libcurl's own words: what follows may be a part of the request.
static inline bool errand_is_refusal(CURL *easy, const char *text, size_t size) {
  if (errand_begins(text, size, "REFUSED_STREAM, retrying")) return true;
  if (errand_is_about_stream(text, size, "HTTP/2 stream ", " refused by server")) return true;
  if (!errand_is_about_stream(text, size, "stream ", " closed")) return false;
  // If nothing of the request was sent, nghttp2 did not begin the stream, because a GOAWAY had come before.
  long sent = 1;
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
  return sent == 0;
}

// libcurl before version 8 writes a line that begins with a space to the field before it; if there is none, to that of the
// handle's last transfer, which it has freed. The one place that sees a line first is the callback for debugging.
static inline void errand_guard_head(errand_notes *notes, char *line, size_t size) {
  if (!notes->guards_head || size == 0) return;
  if (*line == ' ' || *line == '\t') {
    if (notes->has_field) return;
    notes->is_head_refused = true;
    *line = '-';
  } else if (*line != '\r' && *line != '\n' && (size < 5 || memcmp(line, "HTTP/", 5) != 0)) {
    notes->has_field = true;
  }
}

// Only its messages tell what libcurl knows of an HTTP/2 stream that was refused.
static inline int errand_note(CURL *easy, curl_infotype type, char *text, size_t size, void *user) {
  errand_notes *notes = user;
  if (type == CURLINFO_HEADER_IN) {
    errand_guard_head(notes, text, size);
  } else if (type == CURLINFO_HEADER_OUT) {
    if (notes->sent_head) notes->sent_head(text, size, notes->owner);
  } else if (type == CURLINFO_TEXT && size > 10) {
    if (errand_is_refusal(easy, text, size)) {
      notes->is_stream_refused = true;
    } else if (errand_begins(text, size, "Downgrades to HTTP/1.1")) {
      notes->is_downgraded = true;
    }
  }
  return 0;
}

static inline void errand_setopt_notes(CURL *easy, errand_notes *notes) {
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, errand_note);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, notes);
}

// True if the message has the system's words for a connection that was closed before.
static inline bool errand_mentions_closed(const char *message) { return strstr(message, strerror(EPIPE)) != NULL; }
static inline bool errand_mentions_reset(const char *message) { return strstr(message, strerror(ECONNRESET)) != NULL; }

// Reads what a socket has, without waiting for more; 0 or less if there is nothing.
static inline ssize_t errand_receive(curl_socket_t socket, void *bytes, size_t size) {
  return recv(socket, bytes, size, MSG_DONTWAIT);
}

// FNV-1a.
static inline uint64_t errand_hash(const char *text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; text && *text; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
  return hash;
}

typedef int (*errand_close_callback)(void *user, curl_socket_t socket);

static inline CURLcode errand_setopt_close_callback(CURL *easy, errand_close_callback value, void *user) {
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, user);
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

typedef int (*errand_seek_callback)(void *user, curl_off_t offset, int origin);

static inline CURLcode errand_setopt_seek_callback(CURL *easy, errand_seek_callback value) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

// The bytes are not copied: they must live as long as the handle.
static inline CURLcode errand_setopt_blob(CURL *easy, CURLoption option, void *bytes, size_t length) {
  struct curl_blob blob = {bytes, length, CURL_BLOB_NOCOPY};
  return curl_easy_setopt(easy, option, &blob);
}

static const long errand_auth_basic = CURLAUTH_BASIC;
static const long errand_auth_digest = CURLAUTH_DIGEST;

// The host of a URL as libcurl connects to it, to be freed with curl_free; NULL if there is none.
static inline char *errand_url_host(CURLU *url) {
#ifdef CURLU_PUNYCODE
  const unsigned int flags = CURLU_PUNYCODE;
#else
  const unsigned int flags = 0;
#endif
  char *host = NULL;
  return curl_url_get(url, CURLUPART_HOST, &host, flags) == CURLUE_OK ? host : NULL;
}

// The server's own certificate (PEM), if CURLOPT_CERTINFO was set; else NULL.
static inline const char *errand_server_certificate(CURL *easy) {
  struct curl_certinfo *info = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1) return NULL;
  for (struct curl_slist *line = info->certinfo[0]; line; line = line->next) {
    if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
  }
  return NULL;
}

static inline CURLMcode errand_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLSHcode errand_share_setopt_long(CURLSH *share, CURLSHoption option, long value) {
  return curl_share_setopt(share, option, value);
}

static inline long errand_getinfo_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

typedef enum { errand_arrival_none, errand_arrival_bytes, errand_arrival_end } errand_arrival;

// Looks at what a socket has received, and leaves it there. An error counts as the end.
static inline errand_arrival errand_peek(curl_socket_t socket) {
  char byte;
  ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count > 0) return errand_arrival_bytes;
  bool is_quiet = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return is_quiet ? errand_arrival_none : errand_arrival_end;
}

// True if the server has closed the connection by which the request is about to go out.
static inline bool errand_is_connection_over(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK || socket == CURL_SOCKET_BAD) return false;
  return errand_peek(socket) == errand_arrival_end;
}

// True if anything has come by a connection on which nothing was asked for: bytes, or its end.
static inline bool errand_has_come(curl_socket_t socket) { return errand_peek(socket) != errand_arrival_none; }

// The port of a socket's own end; -1 if it has none.
static inline int errand_local_port(curl_socket_t socket) {
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  if (getsockname(socket, (struct sockaddr *)&address, &length) != 0) return -1;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return -1;
}

typedef enum {
  errand_ending_unknown,
  // The peer has closed its end, and nothing has told that it refused what was sent afterwards.
  errand_ending_closed,
  // The peer has reset the connection, perhaps after it had closed its end.
  errand_ending_reset,
} errand_ending;

// How a connection ended, and the number of bytes sent that the peer's system has never acknowledged.
static inline errand_ending errand_ending_of(curl_socket_t socket, uint64_t *unacknowledged) {
#ifdef __linux__
  // The beginning of struct tcp_info, which linux/tcp.h declares; netinet/tcp.h knows an older one.
  struct {
    uint8_t state;
    uint8_t before_acknowledged[119];
    uint64_t acknowledged;
    uint8_t before_sent[72];
    uint64_t sent;
    uint64_t sent_again;
  } info;
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, 11 /* TCP_INFO */, &info, &length) != 0 || length < sizeof info)
    return errand_ending_unknown;
  // The beginning of the connection (SYN) is acknowledged like a byte.
  *unacknowledged = info.sent + 1 - info.sent_again - info.acknowledged;
  switch (info.state) {
    case 7: /* TCP_CLOSE */ return errand_ending_reset;
    case 8: /* TCP_CLOSE_WAIT */ return errand_ending_closed;
    default: return errand_ending_unknown;
  }
#else
  (void)socket;
  (void)unacknowledged;
  return errand_ending_unknown;
#endif
}

// The number of bytes that the system has taken and not sent, or that were sent and not acknowledged; -1 if it is unknown.
static inline long errand_unsent(curl_socket_t socket) {
#ifdef __linux__
  int count = 0;
  return ioctl(socket, TIOCOUTQ, &count) == 0 ? count : -1;
#else
  (void)socket;
  return -1;
#endif
}

// TLS ends each side of a connection with an alert (close_notify), and libcurl does not tell whether it came. OpenSSL does,
// if it is asked by its own functions: they are looked up, so that nothing but libcurl has to be linked.

// Called with OpenSSL's SSL, the kind of the event, and the alert.
typedef void (*errand_tls_callback)(const void *tls, int kind, int alert);

// OpenSSL's SSL of the connection that the transfer uses, or NULL.
static inline void *errand_tls_of(CURL *easy) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
  return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

// True if TLS has decrypted bytes that libcurl has not read: the rest of a record.
static inline bool errand_has_unread(CURL *easy) {
  typedef int (*get_pending)(const void *tls);
  void *tls = errand_tls_of(easy);
  get_pending pending = tls ? (get_pending)dlsym(NULL, "SSL_pending") : NULL;
  return pending && pending(tls) > 0;
}

typedef enum { errand_tls_end_unknown, errand_tls_end_here, errand_tls_end_awaited } errand_tls_end;

// A place for data of ours at each SSL, which no other part of the process uses; -1 if there is none. Each call makes one.
static inline int errand_make_tls_place(void) {
  typedef int (*new_index)(int kind, long number, void *data, void *made, void *copied, void *freed);
  new_index make = (new_index)dlsym(NULL, "CRYPTO_get_ex_new_index");
  return make ? make(0 /* CRYPTO_EX_INDEX_SSL */, 0, NULL, NULL, NULL, NULL) : -1;
}

// Says whether the peer has ended its side, or has `callback` called when it does.
static inline errand_tls_end errand_await_tls_end(void *tls, int place, void *user, errand_tls_callback callback) {
  typedef int (*get_shutdown)(const void *tls);
  typedef int (*set_data)(void *tls, int index, void *data);
  typedef void (*set_callback)(void *tls, errand_tls_callback callback);
  get_shutdown shutdown = (get_shutdown)dlsym(NULL, "SSL_get_shutdown");
  set_data set = (set_data)dlsym(NULL, "SSL_set_ex_data");
  set_callback call = (set_callback)dlsym(NULL, "SSL_set_info_callback");
  if (!shutdown || !call || !set || place < 0 || !set(tls, place, user)) return errand_tls_end_unknown;
  call(tls, callback);
  return shutdown(tls) & 2 /* SSL_RECEIVED_SHUTDOWN */ ? errand_tls_end_here : errand_tls_end_awaited;
}

// The user of `errand_await_tls_end`.
static inline void *errand_tls_user(const void *tls, int place) {
  typedef void *(*get_data)(const void *tls, int index);
  get_data data = (get_data)dlsym(NULL, "SSL_get_ex_data");
  return data ? data(tls, place) : NULL;
}

// True for the alert with which the peer ends its side.
static inline bool errand_is_close_notify(int kind, int alert) {
  return kind == (0x4000 | 0x04) /* SSL_CB_READ_ALERT */ && (alert & 0xff) == 0;
}

static inline curl_off_t errand_getinfo_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline void *errand_getinfo_pointer(CURL *easy, CURLINFO info) {
  char *value = NULL;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline int errand_has_feature(long feature) {
  return (curl_version_info(CURLVERSION_NOW)->features & feature) != 0;
}

// CURLMsg holds a union; this takes out the one case there is. Returns 0 when there is no more.
static inline int errand_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg == CURLMSG_DONE) {
      *easy = message->easy_handle;
      *result = message->data.result;
      return 1;
    }
  }
  return 0;
}

#endif

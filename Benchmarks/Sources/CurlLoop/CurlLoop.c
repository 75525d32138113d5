#include "CurlLoop.h"

#include <curl/curl.h>
#include <stdlib.h>

#ifdef __linux__
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#endif

struct curl_loop {
  // The epoll descriptor of libcurl's socket interface; -1 without it.
  int poller;
  // The time in milliseconds until libcurl must be called again; -1 for never.
  long long due;
  CURLM *multi;
  CURL **handles;
  struct curl_slist *fields;
  int count;
  long long bytes;
};

static size_t take_body(char *bytes, size_t size, size_t count, void *user) {
  (void)bytes;
  ((curl_loop *)user)->bytes += (long long)(size * count);
  return size * count;
}

static size_t take_field(char *bytes, size_t size, size_t count, void *user) {
  (void)bytes;
  (void)user;
  return size * count;
}

curl_loop *curl_loop_create(int concurrency) {
  curl_loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  curl_global_init(CURL_GLOBAL_ALL);
  loop->poller = -1;
  loop->multi = curl_multi_init();
  loop->handles = calloc((size_t)concurrency, sizeof *loop->handles);
  loop->count = concurrency;
  // Errand uses HTTP/2 from the same version on.
  int is_http2 = curl_version_info(CURLVERSION_NOW)->version_num >= 0x081300;
  for (int i = 0; i < concurrency; i++) {
    CURL *easy = loop->handles[i] = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    // These options matter most for the speed. Errand sets them in the same way.
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L << 10);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, loop);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_field);
  }
  return loop;
}

void curl_loop_add_field(curl_loop *loop, const char *field) {
  loop->fields = curl_slist_append(loop->fields, field);
  for (int i = 0; i < loop->count; i++) curl_easy_setopt(loop->handles[i], CURLOPT_HTTPHEADER, loop->fields);
}

void curl_loop_trust(curl_loop *loop, const char *authorities) {
  for (int i = 0; i < loop->count; i++) {
    curl_easy_setopt(loop->handles[i], CURLOPT_CAINFO, authorities);
    // With HTTP/2 all requests share one connection.
    curl_easy_setopt(loop->handles[i], CURLOPT_PIPEWAIT, 1L);
  }
}

void curl_loop_post(curl_loop *loop, const void *body, long size) {
  for (int i = 0; i < loop->count; i++) {
    curl_easy_setopt(loop->handles[i], CURLOPT_POSTFIELDSIZE, size);
    curl_easy_setopt(loop->handles[i], CURLOPT_COPYPOSTFIELDS, body);
    curl_easy_setopt(loop->handles[i], CURLOPT_UPLOAD_BUFFERSIZE, 64L << 10);
  }
}

void curl_loop_decode(curl_loop *loop) {
  for (int i = 0; i < loop->count; i++) curl_easy_setopt(loop->handles[i], CURLOPT_ACCEPT_ENCODING, "");
}

// Counts the finished requests and starts new ones in their place. Returns the number of new ones.
static int collect(curl_loop *loop, const char *url, long requests, long *started, curl_loop_result *result) {
  int left = 0, added = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(loop->multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL *easy = message->easy_handle;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (message->data.result == CURLE_OK && status == 200) {
      result->completed++;
    } else {
      result->failed++;
    }
    curl_multi_remove_handle(loop->multi, easy);
    if (*started < requests) {
      curl_easy_setopt(easy, CURLOPT_URL, url);
      curl_multi_add_handle(loop->multi, easy);
      (*started)++;
      added++;
    }
  }
  return added;
}

#ifdef __linux__

static long long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *user, void *known) {
  (void)easy;
  curl_loop *loop = user;
  struct epoll_event event = {.data.fd = socket};
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(loop->poller, EPOLL_CTL_DEL, socket, &event);
    return 0;
  }
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(loop->poller, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  curl_multi_assign(loop->multi, socket, loop);
  return 0;
}

static int on_timer(CURLM *multi, long delay, void *user) {
  (void)multi;
  ((curl_loop *)user)->due = delay < 0 ? -1 : milliseconds() + delay;
  return 0;
}

int curl_loop_use_sockets(curl_loop *loop) {
  loop->poller = epoll_create1(EPOLL_CLOEXEC);
  loop->due = -1;
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
  return loop->poller >= 0;
}

static void run_on_sockets(curl_loop *loop, const char *url, long requests, long started, curl_loop_result *result) {
  struct epoll_event events[64];
  int running = 0;
  while (result->completed + result->failed < requests) {
    long long wait = loop->due < 0 ? 1000 : loop->due - milliseconds();
    int count = epoll_wait(loop->poller, events, 64, wait < 0 ? 0 : (int)wait);
    for (int i = 0; i < count; i++) {
      int what = 0;
      if (events[i].events & EPOLLIN) what |= CURL_CSELECT_IN;
      if (events[i].events & EPOLLOUT) what |= CURL_CSELECT_OUT;
      if (events[i].events & (EPOLLERR | EPOLLHUP)) what |= CURL_CSELECT_ERR;
      curl_multi_socket_action(loop->multi, events[i].data.fd, what, &running);
    }
    if (loop->due >= 0 && loop->due <= milliseconds()) {
      loop->due = -1;
      curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    collect(loop, url, requests, &started, result);
  }
}

#else

int curl_loop_use_sockets(curl_loop *loop) {
  (void)loop;
  return 0;
}

static void run_on_sockets(curl_loop *loop, const char *url, long requests, long started, curl_loop_result *result) {
  (void)loop, (void)url, (void)requests, (void)started, (void)result;
}

#endif

curl_loop_result curl_loop_run(curl_loop *loop, const char *url, long requests) {
  curl_loop_result result = {0, 0, 0};
  long started = 0;
  int running = 0;
  loop->bytes = 0;
  for (; started < loop->count && started < requests; started++) {
    curl_easy_setopt(loop->handles[started], CURLOPT_URL, url);
    curl_multi_add_handle(loop->multi, loop->handles[started]);
  }
  if (loop->poller >= 0) run_on_sockets(loop, url, requests, started, &result);
  while (result.completed + result.failed < requests) {
    curl_multi_perform(loop->multi, &running);
    // A handle that was just added has work to do at once.
    if (!collect(loop, url, requests, &started, &result) && result.completed + result.failed < requests) {
      curl_multi_poll(loop->multi, NULL, 0, 1000, NULL);
    }
  }
  result.bytes = loop->bytes;
  return result;
}

void curl_loop_destroy(curl_loop *loop) {
  for (int i = 0; i < loop->count; i++) curl_easy_cleanup(loop->handles[i]);
  curl_multi_cleanup(loop->multi);
#ifdef __linux__
  if (loop->poller >= 0) close(loop->poller);
#endif
  curl_slist_free_all(loop->fields);
  free(loop->handles);
  free(loop);
}

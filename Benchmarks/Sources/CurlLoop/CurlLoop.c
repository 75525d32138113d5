#include "CurlLoop.h"

#include <curl/curl.h>
#include <stdlib.h>

struct curl_loop {
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
  loop->multi = curl_multi_init();
  loop->handles = calloc((size_t)concurrency, sizeof *loop->handles);
  loop->count = concurrency;
  curl_multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, 256L);
  for (int i = 0; i < concurrency; i++) {
    CURL *easy = loop->handles[i] = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    // These options matter most for the speed; they are set as Errand sets them.
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L << 10);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
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
    // With HTTP/2 all share one connection.
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

curl_loop_result curl_loop_run(curl_loop *loop, const char *url, long requests) {
  curl_loop_result result = {0, 0, 0};
  long started = 0;
  int running = 0;
  loop->bytes = 0;
  for (; started < loop->count && started < requests; started++) {
    curl_easy_setopt(loop->handles[started], CURLOPT_URL, url);
    curl_multi_add_handle(loop->multi, loop->handles[started]);
  }
  while (result.completed + result.failed < requests) {
    curl_multi_perform(loop->multi, &running);
    int left = 0, added = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(loop->multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      if (message->data.result == CURLE_OK && status == 200) {
        result.completed++;
      } else {
        result.failed++;
      }
      curl_multi_remove_handle(loop->multi, easy);
      if (started < requests) {
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_multi_add_handle(loop->multi, easy);
        started++;
        added++;
      }
    }
    // A handle that was just added has something to do at once.
    if (!added && result.completed + result.failed < requests) {
      curl_multi_poll(loop->multi, NULL, 0, 1000, NULL);
    }
  }
  result.bytes = loop->bytes;
  return result;
}

void curl_loop_destroy(curl_loop *loop) {
  for (int i = 0; i < loop->count; i++) curl_easy_cleanup(loop->handles[i]);
  curl_multi_cleanup(loop->multi);
  curl_slist_free_all(loop->fields);
  free(loop->handles);
  free(loop);
}

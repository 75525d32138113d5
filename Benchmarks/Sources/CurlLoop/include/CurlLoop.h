#ifndef ERRAND_CURL_LOOP_H
#define ERRAND_CURL_LOOP_H

// A plain loop on libcurl's multi interface, as in a typical C program. It is the reference of the benchmarks.
typedef struct curl_loop curl_loop;

typedef struct {
  long completed;
  long failed;
  long long bytes;
} curl_loop_result;

// Creates `concurrency` easy handles, which every run reuses. Returns NULL if there is not enough memory.
curl_loop *curl_loop_create(int concurrency);

// Makes the loop use libcurl's socket interface with epoll, as programs with thousands of connections must. Returns 0 if
// epoll is not available.
int curl_loop_use_sockets(curl_loop *loop);

// Makes libcurl decode the content codings that it knows (`Content-Encoding`).
void curl_loop_decode(curl_loop *loop);

// Makes every request send a header field.
void curl_loop_add_field(curl_loop *loop, const char *field);

// Trusts only the certificate authorities in a PEM file.
void curl_loop_trust(curl_loop *loop, const char *authorities);

// Makes every request a POST with this body.
void curl_loop_post(curl_loop *loop, const void *body, long size);

// Sends `requests` requests to `url`, `concurrency` at a time, and returns after the last response.
curl_loop_result curl_loop_run(curl_loop *loop, const char *url, long requests);

void curl_loop_destroy(curl_loop *loop);

#endif

#ifndef ERRAND_CURL_LOOP_H
#define ERRAND_CURL_LOOP_H

// A plain loop on libcurl's multi interface, as a C program would write it: the reference of the benchmark.
typedef struct curl_loop curl_loop;

typedef struct {
  long completed;
  long failed;
  long long bytes;
} curl_loop_result;

// Makes `concurrency` easy handles, which every run reuses. NULL if there is no memory.
curl_loop *curl_loop_create(int concurrency);

// Makes the loop run on libcurl's socket interface and epoll, as a program must that has thousands of connections. 0 if
// there is none.
int curl_loop_use_sockets(curl_loop *loop);

// Makes libcurl decode the content codings that it knows (`Content-Encoding`).
void curl_loop_decode(curl_loop *loop);

// Makes every request send a header field.
void curl_loop_add_field(curl_loop *loop, const char *field);

// Trusts the authorities of a PEM file, and no others.
void curl_loop_trust(curl_loop *loop, const char *authorities);

// Makes every request a POST with this body.
void curl_loop_post(curl_loop *loop, const void *body, long size);

// Performs so many requests to `url`, `concurrency` at a time, and returns when all have a response.
curl_loop_result curl_loop_run(curl_loop *loop, const char *url, long requests);

void curl_loop_destroy(curl_loop *loop);

#endif

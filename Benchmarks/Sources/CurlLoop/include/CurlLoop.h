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

// Makes libcurl decode the content codings that it knows (`Content-Encoding`).
void curl_loop_decode(curl_loop *loop);

// Performs so many GETs of `url`, `concurrency` at a time, and returns when all have a response.
curl_loop_result curl_loop_run(curl_loop *loop, const char *url, long requests);

void curl_loop_destroy(curl_loop *loop);

#endif

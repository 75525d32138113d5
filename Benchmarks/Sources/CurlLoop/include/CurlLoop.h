#ifndef ERRAND_CURL_LOOP_H
#define ERRAND_CURL_LOOP_H

// A plain loop on libcurl's multi interface: what a C programmer gets from libcurl, and so the reference.
typedef struct curl_loop curl_loop;

typedef struct {
  long completed;
  long failed;
  long long bytes;
} curl_loop_result;

// Makes `concurrency` easy handles, which are used again for every run. NULL if there is no memory.
curl_loop *curl_loop_create(int concurrency);

// From now on libcurl decodes what it can (`Content-Encoding`).
void curl_loop_decode(curl_loop *loop);

// Performs so many GETs of `url`, `concurrency` at a time, and returns when all are answered.
curl_loop_result curl_loop_run(curl_loop *loop, const char *url, long requests);

void curl_loop_destroy(curl_loop *loop);

#endif

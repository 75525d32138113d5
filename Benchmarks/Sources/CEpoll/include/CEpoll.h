#ifndef ERRAND_CEPOLL_H
#define ERRAND_CEPOLL_H

// Swift's module of the C library lacks epoll.
#ifdef __linux__
#include <stdint.h>
#include <sys/epoll.h>

static inline int bench_epoll_add(int poll, int descriptor, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
  return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

static const uint32_t bench_epoll_readable = EPOLLIN;
static const uint32_t bench_epoll_closed = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
static const uint32_t bench_epoll_closing = EPOLLRDHUP;
// Reports each change once.
static const uint32_t bench_epoll_once = EPOLLET;
#endif

#endif

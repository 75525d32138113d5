#define _GNU_SOURCE
#include "CSandbox.h"

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

int errand_make_network(void) {
  if (unshare(CLONE_NEWNET) != 0) return -1;
  return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

int errand_enter_network(int network) { return setns(network, CLONE_NEWNET); }

int errand_forbid_netlink(void) {
  // The family is in the low half of the first argument, because these machines are little-endian.
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
int errand_make_network(void) { return -1; }
int errand_enter_network(int network) { return -1; }
int errand_forbid_netlink(void) { return -1; }
#endif

#ifndef ERRAND_CSANDBOX_H
#define ERRAND_CSANDBOX_H

// Calls for a dedicated thread of a test, never for a shared one. On Linux only; elsewhere, and where the
// system does not allow it, these return -1.

// Gives the calling thread an empty network. Returns a descriptor of it.
int errand_make_network(void);

// Moves the calling thread into a network that was created before.
int errand_enter_network(int network);

// From now on the calling thread cannot create netlink sockets.
int errand_forbid_netlink(void);

#endif

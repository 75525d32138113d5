#ifndef ERRAND_CSANDBOX_H
#define ERRAND_CSANDBOX_H

// Calls for a thread that a test has made for itself, never for one that is shared. Linux only; elsewhere, and where the system does
// not allow it, these return -1.

// Gives the calling thread an empty network. Returns a descriptor that stands for it.
int errand_make_network(void);

// Puts the calling thread into a network that was made before.
int errand_enter_network(int network);

// From now on the calling thread cannot make netlink sockets.
int errand_forbid_netlink(void);

#endif

// What Glibc's module map leaves out, and the calls that Swift cannot make because they are variadic or macros.
#pragma once
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>

// accept4(2) is declared for GNU sources alone, which Swift's importer is not.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
static inline int ringi_accept(int socket) { return accept4(socket, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }

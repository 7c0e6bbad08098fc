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

// The same holds for these.
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_spawn_file_actions_addchdir_np(
    posix_spawn_file_actions_t *restrict actions, const char *restrict path);

// Whether a child has ended, and how: the fields of siginfo_t are macros over unions.
// Returns 1 with *signal (0 when it exited by itself) and *code set, 0 while it runs, -1 with errno set.
static inline int ringi_child_status(pid_t child, int options, int *signal, int *code) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | options) != 0) return -1;
  if (info.si_pid == 0) return 0;
  *signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  *code = info.si_code == CLD_EXITED ? info.si_status : 0;
  return 1;
}

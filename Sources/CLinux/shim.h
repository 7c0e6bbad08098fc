// What Glibc's module map leaves out, and the calls that Swift cannot make because they are variadic or macros.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/wait.h>

// struct ucred and accept4(2) are declared for GNU sources alone, which Swift's importer is not.

// The process at the other end of a connected Unix-domain socket, as it was when it connected.
// Returns 0, or -1 with errno set.
static inline int ringi_peer(int socket, pid_t *process, uid_t *user, gid_t *group) {
  struct { pid_t process; uid_t user; gid_t group; } peer = {0};
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *process = peer.process;
  *user = peer.user;
  *group = peer.group;
  return 0;
}

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
static inline int ringi_accept(int socket) { return accept4(socket, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }

// The same holds for these.
int pipe2(int ends[2], int flags);
void *memmem(const void *bytes, size_t count, const void *part, size_t length);

// F_SETPIPE_SZ.
static const int ringi_set_pipe_size = 1031;

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags);
// Renames a file unless there is one of the new name. Returns 0, or -1 with errno set.
static inline int ringi_rename_to_new(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 1 /* RENAME_NOREPLACE */);
}

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

// Makes this process the parent of its descendants whose own parents end; prctl(2) is variadic.
static inline void ringi_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL); }

// O_TMPFILE, of open(2), is declared for GNU sources alone.

// Opens a file without a name in a folder, for writing. Returns -1 with errno set.
static inline int ringi_open_nameless(const char *folder) {
  return open(folder, O_WRONLY | O_CLOEXEC | 020000000 | O_DIRECTORY, 0600);
}

// Whether a time service keeps the system's clock right (adjtimex(2), which changes nothing here): 1, 0, or -1 for unknown.
static inline int ringi_clock_is_kept(void) {
  struct timex time = {0};
  int state = adjtimex(&time);
  if (state < 0) return -1;
  return state != TIME_ERROR && !(time.status & STA_UNSYNC);
}

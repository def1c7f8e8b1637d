/*
 * LD_PRELOAD: counts the calls of a process that change (or look at) something below one folder, and at one of them kills the process
 * or gives it an error. Numbers are those of the whole process, whatever thread makes the call, so a number is a place.
 *
 *   FAULT_FOLDER  only calls on files below it count
 *   FAULT_LOG     a line for each counted call: <number> <name> <path>
 *   FAULT_AT      the call that is hit, from 1; 0 hits none
 *   FAULT_MODE    kill, short, or an error number; `full`: from this call on everything that takes space gives ENOSPC
 *   FAULT_LOOKS   1 counts the calls that only look: opening for reading, reading, listing
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long number = 0;

enum { TAKES_SPACE = 1, WRITES = 2, LOOKS = 4 };

static int is_below(const char *path) {
  const char *folder = getenv("FAULT_FOLDER");
  size_t length = folder ? strlen(folder) : 0;
  return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int path_of(int folder, const char *path, char *out) {
  char base[PATH_MAX];
  if (path[0] == '/') {
    snprintf(out, PATH_MAX, "%s", path);
    return 1;
  }
  if (folder == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) return 0;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = syscall(SYS_readlink, link, base, sizeof base - 1);
    if (length < 0) return 0;
    base[length] = 0;
  }
  return snprintf(out, PATH_MAX, "%s/%s", base, path) < PATH_MAX;
}

static int path_of_file(int file, char *out) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = syscall(SYS_readlink, link, out, PATH_MAX - 1);
  if (length < 0) return 0;
  out[length] = 0;
  return 1;
}

static void note(long at, const char *name, const char *path) {
  const char *log = getenv("FAULT_LOG");
  if (!log) return;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%ld %s %s\n", at, name, path);
  int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0) return;
  if (syscall(SYS_write, file, line, (size_t)length) < 0) { /* the log is for people */ }
  syscall(SYS_close, file);
}

/* 0: go on. Above 0: fail with this error. -1: write less. */
static int hit(const char *name, const char *path, int kind) {
  if (!is_below(path)) return 0;
  const char *looks = getenv("FAULT_LOOKS");
  if ((kind & LOOKS) && !(looks && looks[0] == '1')) return 0;
  const char *wanted = getenv("FAULT_AT");
  const char *mode = getenv("FAULT_MODE");
  pthread_mutex_lock(&lock);
  long at = ++number;
  note(at, name, path);
  long place = wanted ? atol(wanted) : 0;
  int answer = 0;
  if (place > 0 && mode) {
    if (strcmp(mode, "full") == 0) answer = at >= place && (kind & TAKES_SPACE) ? ENOSPC : 0;
    else if (at == place && strcmp(mode, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    else if (strcmp(mode, "short") == 0) answer = at >= place && (kind & WRITES) ? -1 : 0;
    else if (at == place) answer = atoi(mode);
  }
  pthread_mutex_unlock(&lock);
  return answer;
}

#define ON_PATH(folder, path, name, kind)                                        \
  do {                                                                           \
    char full[PATH_MAX];                                                         \
    int answer = path_of(folder, path, full) ? hit(name, full, kind) : 0;        \
    if (answer > 0) { errno = answer; return -1; }                               \
  } while (0)

#define ON_FILE(file, name, kind)                                                \
  do {                                                                           \
    char full[PATH_MAX];                                                         \
    int answer = path_of_file(file, full) ? hit(name, full, kind) : 0;           \
    if (answer > 0) { errno = answer; return -1; }                               \
  } while (0)

static int opened(int folder, const char *path, int flags, mode_t mode) {
  int changes = flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR);
  ON_PATH(folder, path, changes ? "open" : "look", changes ? (flags & O_CREAT ? TAKES_SPACE : 0) : LOOKS);
  return syscall(SYS_openat, folder, path, flags, mode);
}

#define OPENS(name, lead, at)                                                    \
  int name(lead const char *path, int flags, ...) {                              \
    mode_t mode = 0;                                                             \
    if (flags & (O_CREAT | O_TMPFILE)) {                                         \
      va_list more;                                                              \
      va_start(more, flags);                                                     \
      mode = va_arg(more, mode_t);                                               \
      va_end(more);                                                              \
    }                                                                            \
    return opened(at, path, flags, mode);                                        \
  }
#define NOTHING
#define FOLDER int folder,
OPENS(open, NOTHING, AT_FDCWD)
OPENS(open64, NOTHING, AT_FDCWD)
OPENS(openat, FOLDER, folder)
OPENS(openat64, FOLDER, folder)

static int listed(const char *path) {
  ON_PATH(AT_FDCWD, path, "list", LOOKS);
  return 0;
}

DIR *opendir(const char *path) {
  static __typeof__(opendir) *next;
  if (!next) next = (__typeof__(opendir) *)dlsym(RTLD_NEXT, "opendir");
  return listed(path) < 0 ? NULL : next(path);
}

int scandir(const char *path, struct dirent ***found, int (*wanted)(const struct dirent *),
            int (*order)(const struct dirent **, const struct dirent **)) {
  static __typeof__(scandir) *next;
  if (!next) next = (__typeof__(scandir) *)dlsym(RTLD_NEXT, "scandir");
  return listed(path) < 0 ? -1 : next(path, found, wanted, order);
}

int scandir64(const char *path, struct dirent64 ***found, int (*wanted)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  static __typeof__(scandir64) *next;
  if (!next) next = (__typeof__(scandir64) *)dlsym(RTLD_NEXT, "scandir64");
  return listed(path) < 0 ? -1 : next(path, found, wanted, order);
}

static ssize_t shorter(int file, const char *name, size_t *length) {
  char full[PATH_MAX];
  int answer = path_of_file(file, full) ? hit(name, full, TAKES_SPACE | WRITES) : 0;
  if (answer > 0) { errno = answer; return -1; }
  if (answer == -1 && *length > 1) *length = *length / 2;
  return 0;
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (shorter(file, "write", &length) < 0) return -1;
  return syscall(SYS_write, file, bytes, length);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  if (shorter(file, "write", &length) < 0) return -1;
  return syscall(SYS_pwrite64, file, bytes, length, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  if (shorter(file, "write", &length) < 0) return -1;
  return syscall(SYS_pwrite64, file, bytes, length, at);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  ON_FILE(file, "write", TAKES_SPACE);
  return syscall(SYS_writev, file, parts, count);
}
ssize_t read(int file, void *bytes, size_t length) {
  ON_FILE(file, "read", LOOKS);
  return syscall(SYS_read, file, bytes, length);
}
ssize_t pread(int file, void *bytes, size_t length, off_t at) {
  ON_FILE(file, "read", LOOKS);
  return syscall(SYS_pread64, file, bytes, length, at);
}
ssize_t pread64(int file, void *bytes, size_t length, off64_t at) {
  ON_FILE(file, "read", LOOKS);
  return syscall(SYS_pread64, file, bytes, length, at);
}

int rename(const char *from, const char *to) {
  ON_PATH(AT_FDCWD, to, "rename", TAKES_SPACE);
  return syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int link(const char *from, const char *to) {
  ON_PATH(AT_FDCWD, to, "link", TAKES_SPACE);
  return syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int symlink(const char *from, const char *to) {
  ON_PATH(AT_FDCWD, to, "symlink", TAKES_SPACE);
  return syscall(SYS_symlinkat, from, AT_FDCWD, to);
}
int unlink(const char *path) {
  ON_PATH(AT_FDCWD, path, "unlink", 0);
  return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  ON_PATH(AT_FDCWD, path, "rmdir", 0);
  return syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
int mkdir(const char *path, mode_t mode) {
  ON_PATH(AT_FDCWD, path, "mkdir", TAKES_SPACE);
  return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
int fsync(int file) {
  ON_FILE(file, "fsync", TAKES_SPACE);
  return syscall(SYS_fsync, file);
}
int fdatasync(int file) {
  ON_FILE(file, "fsync", TAKES_SPACE);
  return syscall(SYS_fdatasync, file);
}
int ftruncate(int file, off_t length) {
  ON_FILE(file, "truncate", 0);
  return syscall(SYS_ftruncate, file, length);
}
int ftruncate64(int file, off64_t length) {
  ON_FILE(file, "truncate", 0);
  return syscall(SYS_ftruncate, file, length);
}
int chmod(const char *path, mode_t mode) {
  ON_PATH(AT_FDCWD, path, "chmod", 0);
  return syscall(SYS_fchmodat, AT_FDCWD, path, mode, 0);
}
int fchmod(int file, mode_t mode) {
  ON_FILE(file, "chmod", 0);
  return syscall(SYS_fchmod, file, mode);
}
int chown(const char *path, uid_t user, gid_t group) {
  ON_PATH(AT_FDCWD, path, "chown", 0);
  return syscall(SYS_fchownat, AT_FDCWD, path, user, group, 0);
}
int fchown(int file, uid_t user, gid_t group) {
  ON_FILE(file, "chown", 0);
  return syscall(SYS_fchown, file, user, group);
}
int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  if (path) ON_PATH(folder, path, "utime", 0);
  return syscall(SYS_utimensat, folder, path, times, flags);
}

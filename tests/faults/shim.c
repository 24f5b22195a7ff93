/* Stands before the C library in a process that asks for it, counts its calls on files of one folder, and lets one of
 * them fail, stop or end the process.  Nothing happens before fault_arm; a fork takes what is armed along, a new program
 * does not. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

enum call { OPEN, READ, PREAD, WRITE, PWRITE, COPY, SENDFILE, FSYNC, RENAME, UNLINK, FTRUNCATE, CLOSE, FLOCK, CALLS };
enum action { NOTHING, KILL, STOP, FAIL, SHORT };
enum { ANY = -1 };

static long *counts; /* shared with the process that forked this one */
static char folder[4096];
static size_t folder_length;
static int is_armed, chosen, action, number, lasts, refused[CALLS];
static long left;

__attribute__((constructor)) static void begin(void) {
  counts = mmap(NULL, CALLS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

long fault_count(int call) { return counts[call]; }

void fault_refuse(int call, int error) { refused[call] = error; }

/* The call number `at`, from 0, of kind `call` or of any kind; with `always` all that follow it, too. */
void fault_arm(const char *under, int call, long at, int what, int error, int always) {
  memset(counts, 0, CALLS * sizeof *counts);
  snprintf(folder, sizeof folder, "%s", under);
  folder_length = strlen(folder);
  chosen = call, left = at, action = what, number = error, lasts = always, is_armed = 1;
}

static int is_under(const char *path) { return path[0] != '/' || strncmp(path, folder, folder_length) == 0; }

static int is_open_under(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return path[0] == '/' && is_under(path);
}

/* What is to be done at this call; STOP and a refusal are done here. */
static int met(enum call call, int counted) {
  if (!is_armed || !counted) return NOTHING;
  counts[call]++;
  if (refused[call]) {
    errno = refused[call];
    return FAIL;
  }
  if (chosen != ANY && chosen != (int)call) return NOTHING;
  if (left > 0) {
    left--;
    return NOTHING;
  }
  if (left < 0 && !lasts) return NOTHING;
  left = -1;
  if (action == STOP) {
    raise(SIGSTOP);
    return NOTHING;
  }
  errno = number;
  return action;
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }
static void end(void) { kill(getpid(), SIGKILL); }

/* A call that either is done or is not. */
#define WHOLE(CALL, COUNTED, RESULT)        \
  switch (met(CALL, COUNTED)) {             \
    case KILL: end();                       \
    case FAIL: return -1;                   \
    default: return RESULT;                 \
  }

/* A call that moves bytes, and may move half of them. */
#define MOVING(CALL, DESCRIPTOR, SIZE, RESULT)      \
  switch (met(CALL, is_open_under(DESCRIPTOR))) {   \
    case KILL: SIZE /= 2; (void)!(RESULT); end();   \
    case FAIL: return -1;                           \
    case SHORT: SIZE = SIZE > 1 ? SIZE / 2 : SIZE;  \
    default: return RESULT;                         \
  }

#define OPENING(NAME)                                                                                \
  int NAME(const char *path, int flags, ...) {                                                       \
    va_list rest;                                                                                    \
    va_start(rest, flags);                                                                           \
    int mode = va_arg(rest, int);                                                                    \
    va_end(rest);                                                                                    \
    WHOLE(OPEN, is_under(path), ((int (*)(const char *, int, ...))next(#NAME))(path, flags, mode))   \
  }
OPENING(open)
OPENING(open64)

ssize_t read(int descriptor, void *buffer, size_t size) {
  MOVING(READ, descriptor, size, ((ssize_t(*)(int, void *, size_t))next("read"))(descriptor, buffer, size))
}

#define READING(NAME)                                                                                           \
  ssize_t NAME(int descriptor, void *buffer, size_t size, off_t offset) {                                       \
    MOVING(PREAD, descriptor, size,                                                                             \
           ((ssize_t(*)(int, void *, size_t, off_t))next(#NAME))(descriptor, buffer, size, offset))             \
  }
READING(pread)
READING(pread64)

ssize_t write(int descriptor, const void *buffer, size_t size) {
  MOVING(WRITE, descriptor, size, ((ssize_t(*)(int, const void *, size_t))next("write"))(descriptor, buffer, size))
}

#define WRITING(NAME)                                                                                           \
  ssize_t NAME(int descriptor, const void *buffer, size_t size, off_t offset) {                                 \
    MOVING(PWRITE, descriptor, size,                                                                            \
           ((ssize_t(*)(int, const void *, size_t, off_t))next(#NAME))(descriptor, buffer, size, offset))       \
  }
WRITING(pwrite)
WRITING(pwrite64)

ssize_t copy_file_range(int in, off_t *from, int out, off_t *to, size_t size, unsigned flags) {
  MOVING(COPY, out, size,
         ((ssize_t(*)(int, off_t *, int, off_t *, size_t, unsigned))next("copy_file_range"))(in, from, out, to, size,
                                                                                              flags))
}

#define SENDING(NAME)                                                                                           \
  ssize_t NAME(int out, int in, off_t *offset, size_t size) {                                                   \
    MOVING(SENDFILE, out, size, ((ssize_t(*)(int, int, off_t *, size_t))next(#NAME))(out, in, offset, size))    \
  }
SENDING(sendfile)
SENDING(sendfile64)

int fsync(int descriptor) { WHOLE(FSYNC, is_open_under(descriptor), ((int (*)(int))next("fsync"))(descriptor)) }

int rename(const char *from, const char *to) {
  WHOLE(RENAME, is_under(to), ((int (*)(const char *, const char *))next("rename"))(from, to))
}

int unlink(const char *path) { WHOLE(UNLINK, is_under(path), ((int (*)(const char *))next("unlink"))(path)) }

#define CUTTING(NAME)                                                                                              \
  int NAME(int descriptor, off_t size) {                                                                           \
    WHOLE(FTRUNCATE, is_open_under(descriptor), ((int (*)(int, off_t))next(#NAME))(descriptor, size))              \
  }
CUTTING(ftruncate)
CUTTING(ftruncate64)

int flock(int descriptor, int operation) {
  WHOLE(FLOCK, is_open_under(descriptor), ((int (*)(int, int))next("flock"))(descriptor, operation))
}

/* The descriptor is gone, whatever closing has to say. */
int close(int descriptor) {
  int (*real)(int) = (int (*)(int))next("close");
  switch (met(CLOSE, is_open_under(descriptor))) {
    case KILL: end();
    case FAIL: {
      int error = errno;
      real(descriptor);
      errno = error;
      return -1;
    }
    default: return real(descriptor);
  }
}

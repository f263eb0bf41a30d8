// Kills the process just before a change to a file, the KILL_AT-th one that it makes; with KILL_HALF
// after half of a write. Loaded before the C library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

// Whether the process ends at this change.
static int is_last(void) {
    static long left = -1;
    if (left < 0) {
        const char *at = getenv("KILL_AT");
        left = at ? atol(at) : 0;
    }
    return left > 0 && --left == 0;
}

static void end(void) {
    kill(getpid(), SIGKILL);
}

static int is_file(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRITING(name, offset)                                                          \
    ssize_t name(int fd, const void *bytes, size_t count, offset at) {                 \
        if (is_file(fd) && is_last()) {                                                \
            if (getenv("KILL_HALF")) REAL(name)(fd, bytes, count / 2, at);             \
            end();                                                                     \
        }                                                                              \
        return REAL(name)(fd, bytes, count, at);                                       \
    }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t write(int fd, const void *bytes, size_t count) {
    if (is_file(fd) && is_last()) {
        if (getenv("KILL_HALF")) REAL(write)(fd, bytes, count / 2);
        end();
    }
    return REAL(write)(fd, bytes, count);
}

#define CHANGING(name, parameters, arguments)                                          \
    int name parameters {                                                              \
        if (is_last()) end();                                                          \
        return REAL(name) arguments;                                                   \
    }
CHANGING(fsync, (int fd), (fd))
CHANGING(fdatasync, (int fd), (fd))
CHANGING(ftruncate, (int fd, off_t size), (fd, size))
CHANGING(ftruncate64, (int fd, off64_t size), (fd, size))
CHANGING(unlink, (const char *path), (path))
CHANGING(rename, (const char *from, const char *to), (from, to))
CHANGING(link, (const char *from, const char *to), (from, to))

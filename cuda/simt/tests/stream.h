/* stream.h: a stream as a harness has it, in small: runs launches at once, or keeps them and runs them at each replay.
 */
#ifndef SIMT_TESTS_STREAM_H
#define SIMT_TESTS_STREAM_H

#include "../../../harness/subject.h"

#include <stdlib.h>
#include <string>
#include <string.h>
#include <vector>

struct Stream : at_cpu_stream {
    at_cpu_how how;
    std::string error; /* sticky */

    explicit Stream(at_order order = AT_FORWARD, uint64_t seed = 0)
        : at_cpu_stream{AT_SUBJECT_ABI, 0, take}, how{order, seed, 1, 163 * 1024} {}
    ~Stream() {
        for (at_cpu_launch &l : kept) free(const_cast<void *>(l.args));
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    bool replay() {
        for (const at_cpu_launch &l : kept)
            if (!run(l)) return false;
        return true;
    }
    size_t nodes() const { return kept.size(); }

  private:
    std::vector<at_cpu_launch> kept;

    bool run(const at_cpu_launch &l) {
        const char *said = l.run(&l, &how);
        if (said != nullptr) error = said;
        return said == nullptr;
    }
    static int take(at_cpu_stream *base, const at_cpu_launch *l) {
        Stream *s = static_cast<Stream *>(base);
        if (!s->error.empty()) return 1;
        if (!s->capturing) return s->run(*l) ? 0 : 1;
        at_cpu_launch copy = *l;
        copy.args = memcpy(malloc(l->args_bytes), l->args, l->args_bytes);
        s->kept.push_back(copy);
        return 0;
    }
};

/* Every order, the random one with three seeds. */
struct Way {
    at_order order;
    uint64_t seed;
};
static const Way ways[] = {{AT_FORWARD, 0}, {AT_BACKWARD, 0}, {AT_RANDOM, 1}, {AT_RANDOM, 2}, {AT_RANDOM, 3}};

#endif

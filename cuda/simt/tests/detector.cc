/* the race detector sees what it should and nothing else. A program of its own, of kernels built with
 * -fsanitize=thread over a runtime built without: every line that it prints is one kernel in one order; 0 when all are
 * as they should be. */
#include "kernels.h"
#include "stream.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) const char *__tsan_default_options() {
    return "exitcode=0:atexit_sleep_ms=0:report_thread_leaks=0:suppress_equal_addresses=0";
}
extern "C" void __sanitizer_set_report_fd(void *);

static FILE *reports; /* what the detector says */

static std::string said_since(long from) {
    fseek(reports, 0, SEEK_END);
    std::string text(size_t(ftell(reports) - from), ' ');
    fseek(reports, from, SEEK_SET);
    text.resize(fread(&text[0], 1, text.size(), reports));
    return text;
}

static int races_in(const std::string &text) {
    int n = 0;
    for (size_t at = 0; (at = text.find("WARNING: ThreadSanitizer: data race", at)) != std::string::npos; at++) n++;
    return n;
}

static const char *order_name(const Way &way) {
    return way.order == AT_FORWARD ? "forward" : way.order == AT_BACKWARD ? "backward" : "random";
}

/* `place`: what a report must name; NULL: nothing may be reported. */
template <class Launch>
static int judge(const std::string &name, const char *place, const Way &way, const Launch &launch) {
    fseek(reports, 0, SEEK_END);
    const long from = ftell(reports);
    Stream stream(way.order, way.seed);
    const char *said = launch(&stream);
    const std::string text = said_since(from);
    const int races = races_in(text);
    const bool fine = said == nullptr && (place == nullptr ? races == 0 : races > 0 && text.find(place) != text.npos);
    printf("%s %s, %s: %d races%s%s\n", fine ? "ok  " : "FAIL", name.c_str(), order_name(way), races,
           place ? " with " : "", place ? place : "");
    if (!fine) printf("%s%.3000s\n", said ? said : "", text.c_str());
    return fine ? 0 : 1;
}

static int judge_families(const Way &way) {
    const std::vector<float> in(4096, 1);
    int bad = 0;
    for (size_t k = 0; k < families_count; k++) {
        const Family &f = families[k];
        for (int without = 0; without <= f.barriers; without++) {
            std::vector<float> out(1024);
            const std::string name = f.name + (without ? " without barrier " + std::to_string(without) : std::string());
            bad += judge(name, without ? "families.cu:" : nullptr, way,
                         [&](void *stream) { return f.launch(stream, without, in.data(), out.data()); });
        }
    }
    return bad;
}

static int judge_races(const Way &way) {
    int bad = 0;
    for (size_t k = 0; k < races_count; k++) {
        const Race &r = races[k];
        std::vector<int> out(1024);
        const std::string place = "races.cu:" + std::to_string(r.line);
        bad += judge(r.name, r.line ? place.c_str() : nullptr, way,
                     [&](void *stream) { return r.launch(stream, out.data()); });
    }
    return bad;
}

/* A launch that stops half way leaves fibers behind: what they did must not race with what comes after. */
static int judge_after_a_stop(const Way &way) {
    int bad = 0;
    std::vector<int> in(128), out(1024);
    for (size_t k = 0; k < misuses_count; k++)
        bad += judge(std::string("add after ") + misuses[k].name, nullptr, way, [&](void *after) {
            Stream stream(way.order, way.seed);
            if (misuses[k].launch(&stream, out.data()) == nullptr) return "the misuse passed";
            out.assign(1024, 0);
            return launch_add(after, in.data(), 1, out.data());
        });
    return bad;
}

/* In a process of its own: the detector says each thing once in a process, and two orders find the same. */
static bool judge_all(const Way &way) {
    const pid_t child = fork();
    if (child == 0) {
        reports = tmpfile();
        if (reports == nullptr) exit(1);
        __sanitizer_set_report_fd(reinterpret_cast<void *>(intptr_t{fileno(reports)}));
        exit(judge_families(way) + judge_races(way) + judge_after_a_stop(way) != 0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main() {
    const bool forward = judge_all(ways[0]), backward = judge_all(ways[1]), random = judge_all(ways[2]);
    return !(forward && backward && random);
}

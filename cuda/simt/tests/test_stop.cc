/* test_stop.cc: what is wrong with a kernel or a launch is named, and the next launch works. */
#include <criterion/criterion.h>

#include "kernels.h"
#include "stream.h"

#include <ctype.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif

static void next_launch_works(const char *after) {
    std::vector<int> in(128, 5), out(128, 1);
    Stream stream;
    cr_assert_null(launch_add(&stream, in.data(), 2, out.data()), "after %s", after);
    for (int x : out) cr_assert_eq(x, 8, "after %s: %d", after, x);
}

static bool names(const char *said, int line) {
    const std::string place = "misuse.cu:" + std::to_string(line);
    const char *at = strstr(said, place.c_str());
    return at != nullptr && !isdigit(at[place.size()]);
}

Test(stop, each_misuse_is_named_with_its_places_and_the_next_launch_works) {
    for (size_t k = 0; k < misuses_count; k++) {
        const Misuse &m = misuses[k];
#ifdef ADDRESS_SANITIZER
        if (m.overrun != 0) continue;
#endif
        for (const Way &way : ways) {
            std::vector<int> out(1024);
            Stream stream(way.order, way.seed);
            const char *said = m.launch(&stream, out.data());
            cr_assert_not_null(said, "%s passes in order %d", m.name, way.order);
            cr_assert_str_eq(said, stream.error.c_str());
            cr_assert(strstr(said, m.name) == said && strstr(said, " block (0,0,0): "), "%s", said);
            for (const char *part : m.says)
                cr_expect(part == nullptr || way.order != AT_FORWARD || strstr(said, part), "%s, not: %s", said, part);
            for (int line : m.line) cr_expect(line == 0 || names(said, line), "%s, not line %d", said, line);
            next_launch_works(m.name);
        }
    }
}

Test(stop, an_error_stays_on_its_stream) {
    std::vector<int> in(128), out(1024);
    Stream stream;
    const std::string first = misuses[misuses_count - 1].launch(&stream, out.data());
    const char *second = launch_add(&stream, in.data(), 1, out.data());
    cr_assert_not_null(second);
    cr_assert_neq(first, std::string(second));
    cr_assert_eq(first, stream.error);
    cr_assert_eq(out[0], 0, "a launch after an error ran");
}

struct Geometry {
    uint32_t grid[3], block[3];
    size_t shared;
    const char *says; /* NULL: runs */
};
static const Geometry geometries[] = {
    {{1, 1, 1}, {1024, 1, 1}, 16, nullptr},
    {{1, 1, 1}, {1025, 1, 1}, 16, "block.x is 1025, must be 1 to 1024"},
    {{1, 1, 1}, {32, 33, 1}, 16, "block.x*y*z is 1056, must be 1 to 1024"},
    {{1, 1, 1}, {2, 4, 64}, 16, nullptr},
    {{1, 1, 1}, {2, 1, 65}, 16, "block.z is 65, must be 1 to 64"},
    {{1, 1, 1}, {0, 1, 1}, 16, "block.x is 0, must be 1 to 1024"},
    {{0, 1, 1}, {1, 1, 1}, 16, "grid.x is 0, must be 1 to 2147483647"},
    {{2147483648u, 1, 1}, {1, 1, 1}, 16, "grid.x is 2147483648, must be 1 to 2147483647"},
    {{1, 65535, 1}, {1, 1, 1}, 16, nullptr},
    {{1, 65536, 1}, {1, 1, 1}, 16, "grid.y is 65536, must be 1 to 65535"},
    {{1, 1, 65536}, {1, 1, 1}, 16, "grid.z is 65536, must be 1 to 65535"},
    {{70000, 1, 1}, {1, 1, 1}, 16, nullptr},
    {{1, 1, 1}, {1, 1, 1}, 48 * 1024, nullptr},
    {{1, 1, 1}, {1, 1, 1}, 48 * 1024 + 1, "49153 bytes of dynamic shared memory: over 49152 must be asked for"},
};

Test(stop, the_limits_of_a_device_are_enforced_to_the_one) {
    for (const Geometry &g : geometries) {
        int out = 0;
        Stream stream(AT_RANDOM, 9);
        const char *said = launch_geometry(&stream, g.grid, g.block, g.shared, &out);
        if (g.says == nullptr) {
            cr_assert_null(said, "%s", said);
            cr_assert_eq(unsigned(out), g.grid[0] * g.grid[1] * g.grid[2] * g.block[0] * g.block[1] * g.block[2]);
            continue;
        }
        cr_assert(said != nullptr && strstr(said, g.says), "%s, not: %s", said ? said : "nothing", g.says);
        cr_assert_eq(out, 0, "a refused launch ran");
        cr_assert(stream.error.empty(), "a launch that no device takes must not get as far as the stream");
    }
}

Test(stop, shared_memory_is_had_as_far_as_asked_for_and_the_device_has_it) {
    const uint32_t one[3] = {1, 1, 1};
    int out = 0;
    cr_assert_null(allow_geometry(164 * 1024));
    Stream stream;
    cr_assert_null(launch_geometry(&stream, one, one, 163 * 1024, &out));
    const char *said = launch_geometry(&stream, one, one, 163 * 1024 + 1, &out);
    cr_assert(said != nullptr && strstr(said, "166913 bytes of dynamic shared memory, the device has 166912"), "%s",
              said);
    Stream other;
    said = launch_geometry(&other, one, one, 164 * 1024 + 1, &out);
    cr_assert(said != nullptr && strstr(said, "allow_shared asked for 167936"), "%s", said);
    cr_assert_eq(out, 1);
    cr_assert_not_null(allow_geometry(228 * 1024), "no device has 228 KB for a block");
}

#ifndef ADDRESS_SANITIZER
Test(stop, a_frame_that_a_stack_does_not_hold_ends_in_the_guard, .signal = SIGSEGV) {
    int out[2] = {0};
    Stream stream;
    launch_large_frame(&stream, out);
}
#else
extern "C" void __sanitizer_set_report_fd(void *);

Test(stop, the_address_sanitizer_stops_an_overrun_at_its_line) {
    for (size_t k = 0; k < misuses_count; k++) {
        if (misuses[k].overrun == 0) continue;
        int ends[2], status = 0;
        cr_assert_eq(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            std::vector<int> out(1024);
            Stream stream;
            __sanitizer_set_report_fd(reinterpret_cast<void *>(intptr_t{ends[1]}));
            misuses[k].launch(&stream, out.data());
            _exit(0);
        }
        close(ends[1]);
        std::string text;
        char part[4096];
        for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, size_t(n));
        close(ends[0]);
        cr_assert(waitpid(child, &status, 0) == child && status != 0, "%s passes", misuses[k].name);
        cr_assert(names(text.c_str(), misuses[k].overrun), "not line %d: %s", misuses[k].overrun, text.c_str());
    }
}
#endif

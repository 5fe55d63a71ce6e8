# attest: `make gate` and `make test` are all that a newcomer needs; `make help` lists the rest.
#
# MODE=release (default), asan, tsan, gcov: objects live in build/MODE, the release program and subjects in build/ itself.
# Without nvcc the CPU subject is built and the build says that the CUDA subject was left out.

MODE ?= release
B := build/$(MODE)
BIN := $(if $(filter release,$(MODE)),build,$(B))
JOBS := $(shell nproc)
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))

# V=1 shows the commands
Q := $(if $(V),,@)

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
# contraction would let the compiler decide bits that have to be the same on every machine
MODEFLAGS_release := -O2
MODEFLAGS_asan := -O1 -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
MODEFLAGS_tsan := -O1
MODEFLAGS_gcov := -O0 --coverage -fprofile-update=atomic
MODEFLAGS := $(MODEFLAGS_$(MODE))
# kernels alone are instrumented: the runtime tells ThreadSanitizer which fiber runs
TSAN := $(if $(filter tsan,$(MODE)),-fsanitize=thread)
BASE := -g -ffp-contract=off -fPIC -MMD -MP $(MODEFLAGS)
CFLAGS := -std=c11 -D_GNU_SOURCE $(BASE)
# kernels: C++17 by the host compiler, no exceptions so that coverage counts no phantom branches
KERNELFLAGS := -x c++ -std=c++17 -fno-exceptions -fvisibility=hidden -Wall -Wextra -Wno-unknown-pragmas $(BASE)
LIBS := -l:libyaml.a -l:libjansson.a -l:libcrypto.a -lm -ldl -lpthread
BOOST := -l:libboost_context.a

oracle := $(patsubst %.c,$(B)/%.o,$(wildcard oracle/*.c))
harness := $(patsubst %.c,$(B)/%.o,$(filter-out harness/main.c,$(wildcard harness/*.c)))
reports := $(patsubst %.c,$(B)/%.o,$(wildcard reports/*.c))
gates := $(patsubst %.c,$(B)/%.o,$(wildcard cuda/*.c))
simt := $(patsubst %.cpp,$(B)/%.o,$(wildcard cuda/simt/*.cpp))
kernels := $(wildcard cuda/*.cu)
cpu_kernels := $(patsubst %.cu,$(B)/%.o,$(kernels))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

## gate: install what is missing, build, judge the kernels on the best device there is, write build/reports
gate: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@ci/gate.sh

## test: every test, the sanitizer build, the gate, coverage with floors; ends with N passed, N failed
test: deps
	@ci/test.sh

## all: the program and the subjects
all: $(BIN)/attest subjects
.PHONY: all gate test deps subjects help clean revision

## deps: what Debian's packages give, installed when missing (as root; else the command to run is printed)
deps:
	@ci/install-deps.sh

## subjects: the shared objects that are judged
subjects: $(BIN)/subjects/cpu.so $(if $(NVCC),$(if $(filter release,$(MODE)),$(BIN)/subjects/cuda.so),no-nvcc)
no-nvcc:
	@echo "no nvcc found: the CUDA subject is left out, the CPU subject is built (set NVCC=/path/to/nvcc to have both)"
.PHONY: no-nvcc

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(CFLAGS) $(WARN) -c $< -o $@

# the revision that reports name: a file that changes only when the answer does
revision:
	@mkdir -p $(B)
	@r=$$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown); \
	 echo "$$r" | cmp -s - $(B)/revision || echo "$$r" > $(B)/revision
$(B)/revision: revision ;
$(B)/harness/host.o: $(B)/revision
$(B)/harness/host.o: CFLAGS += -DAT_REVISION='"$(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)"'

# decoding and dot products are where the oracle's time goes; no result changes, since nothing may be reassociated
$(addprefix $(B)/oracle/,attend.o budget.o budget_weights.o classes.o dtype.o): CFLAGS += $(if $(filter release,$(MODE)),-O3)

$(B)/libattest.a: $(oracle) $(harness) $(reports)
	@rm -f $@
	@echo "  AR    $@"
	$(Q)$(AR) rcs $@ $^
$(BIN)/attest: $(B)/harness/main.o $(B)/libattest.a
	@echo "  CC    $@"
	$(Q)$(CC) $(MODEFLAGS) $(TSAN) -o $@ $^ $(LIBS)

# the host's subject: the kernels by the host compiler over cuda/simt
$(B)/cuda/%.o: cuda/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(CFLAGS) $(WARN) -fvisibility=hidden -c $< -o $@
$(B)/cuda/%.o: cuda/%.cu Makefile
	@mkdir -p $(@D)
	@echo "  CXX   $@"
	$(Q)$(CXX) $(KERNELFLAGS) $(TSAN) -c $< -o $@
$(B)/cuda/simt/%.o: cuda/simt/%.cpp Makefile
	@mkdir -p $(@D)
	@echo "  CXX   $@"
	$(Q)$(CXX) $(KERNELFLAGS) -c $< -o $@
$(BIN)/subjects/cpu.so: $(gates) $(cpu_kernels) $(simt) cuda/exports.map
	@mkdir -p $(@D)
	@echo "  CXX   $@"
	$(Q)$(CXX) -shared $(MODEFLAGS) $(TSAN) -Wl,--version-script=cuda/exports.map -o $@ $(filter %.o,$^) $(BOOST)

# the GPU's: machine code for sm_80 and sm_90, and PTX that later drivers compile
GENCODE ?= -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=compute_80
NVFLAGS := -std=c++17 -O2 -g -lineinfo $(GENCODE) -DATTEST_CUDA -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra
$(B)/nv/%.o: cuda/%.cu Makefile
	@mkdir -p $(@D)
	@echo "  NVCC  $@"
	$(Q)$(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
$(B)/nv/%.o: cuda/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(CFLAGS) $(WARN) -fvisibility=hidden -DATTEST_CUDA -c $< -o $@
$(BIN)/subjects/cuda.so: $(patsubst cuda/%.cu,$(B)/nv/%.o,$(kernels)) $(patsubst cuda/%.c,$(B)/nv/%.o,$(wildcard cuda/*.c)) cuda/exports.map
	@mkdir -p $(@D)
	@echo "  NVCC  $@"
	$(Q)$(NVCC) -shared -cudart static $(GENCODE) -Xlinker --version-script=cuda/exports.map -Xlinker --exclude-libs=ALL -o $@ $(filter %.o,$^)

# Criterion programs, one a directory; their own warnings, since Criterion's macros do not bear the strict ones
TESTFLAGS = $(CFLAGS) -Wall -Wextra
TESTLIBS := -lcriterion $(LIBS) -lquadmath
programs := oracle harness reports cuda
tests := $(programs:%=$(B)/tests/%) $(B)/tests/simt
not_criterion := oracle/tests/calibrate% harness/tests/gpu_device.c harness/tests/device_header.c harness/tests/fake_cuda.c
test_objects = $(patsubst %.c,$(B)/%.o,$(filter-out $(not_criterion),$(wildcard $(1)/tests/*.c)))

## tests: the test programs of MODE
tests: $(tests)
.PHONY: tests

define test_rule
$(B)/$(1)/tests/%.o: $(1)/tests/%.c Makefile
	@mkdir -p $$(@D)
	@echo "  CC    $$@"
	$$(Q)$$(CC) $$(TESTFLAGS) -c $$< -o $$@
endef
$(foreach p,$(programs),$(eval $(call test_rule,$(p))))

$(B)/tests/oracle: $(call test_objects,oracle) $(B)/libattest.a
$(B)/tests/harness: $(call test_objects,harness) $(B)/libattest.a
$(B)/tests/reports: $(call test_objects,reports) $(B)/libattest.a
$(B)/tests/oracle $(B)/tests/harness $(B)/tests/reports:
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(MODEFLAGS) -o $@ $(filter %.o %.a,$^) $(TESTLIBS)
$(B)/tests/harness: $(patsubst harness/tests/subjects/%.c,$(B)/tests/subjects/%.so,$(wildcard harness/tests/subjects/*.c)) \
    $(B)/tests/subjects/fake_cuda.so
$(B)/tests/cuda: $(call test_objects,cuda) $(gates) $(cpu_kernels) $(simt)
	@mkdir -p $(@D)
	@echo "  CXX   $@"
	$(Q)$(CXX) $(MODEFLAGS) -o $@ $^ -lcriterion $(BOOST) -lm

# the CPU execution's own tests: kernels like a subject's, tests in C++ with exceptions, since Criterion throws
simt_kernels := $(patsubst %.cu,$(B)/%.o,$(wildcard cuda/simt/tests/*.cu))
$(B)/cuda/simt/tests/%.o: cuda/simt/tests/%.cc Makefile
	@mkdir -p $(@D)
	@echo "  CXX   $@"
	$(Q)$(CXX) -std=c++17 $(BASE) -Wall -Wextra -Wno-missing-field-initializers -c $< -o $@
$(B)/tests/simt: $(patsubst %.cc,$(B)/%.o,$(wildcard cuda/simt/tests/test_*.cc)) $(simt_kernels) $(simt)
	@mkdir -p $(@D)
	@echo "  CXX   $@"
	$(Q)$(CXX) $(MODEFLAGS) -o $@ $^ -lcriterion $(BOOST) -lpthread

## racecheck: the quick tier on the CPU under ThreadSanitizer, a fiber per CUDA thread
racecheck: deps
	@$(MAKE) --no-print-directory -j$(JOBS) MODE=tsan build/tsan/attest build/tsan/subjects/cpu.so build/tsan/races
	@ci/racecheck.sh
.PHONY: racecheck
$(B)/races: $(B)/cuda/simt/tests/detector.o $(simt_kernels) $(simt)
	@echo "  CXX   $@"
	$(Q)$(CXX) $(MODEFLAGS) $(TSAN) -o $@ $^ $(BOOST) -lpthread

# little shared objects that the loader's and the devices' tests open
$(B)/tests/subjects/%.so: harness/tests/subjects/%.c
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -fPIC -MMD -MP -shared -o $@ $< -lm
$(B)/tests/subjects/fake_cuda.so: harness/tests/fake_cuda.c
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -fPIC -shared -o $@ $<

# the derived budgets against emulated kernels: README in oracle/
$(B)/calibrate: $(patsubst %.c,$(B)/%.o,$(wildcard oracle/tests/calibrate*.c) oracle/tests/scene.c oracle/tests/vector.c) $(B)/libattest.a
	@echo "  CC    $@"
	$(Q)$(CC) $(MODEFLAGS) -o $@ $^ $(TESTLIBS)

## portable: one tar.gz that judges on any x86-64 Linux from glibc 2.34 on, with an NVIDIA driver and nothing else
portable: build/attest-portable.tar.gz
build/attest-portable.tar.gz: $(BIN)/attest $(BIN)/include/attest/subject.h subjects
	@rm -rf build/portable && mkdir -p build/portable/attest
	cp -r build/attest build/subjects build/include cases LICENSE ci/portable.md build/portable/attest
	cp ci/portable-gate.sh build/portable/attest/gate.sh
	tar -C build/portable --owner=0 --group=0 -czf $@ attest
.PHONY: portable

## clean: forget build/
clean:
	rm -rf build

## help: this
help:
	@sed -n 's/^## \([a-z-]*\): /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

-include $(shell find build/$(MODE) -name '*.d' 2>/dev/null)

# the kernels' objects that a mutant leaves alone are those of the build
TOOLS := CC='$(CC) $(CFLAGS) -fvisibility=hidden' CXX='$(CXX) $(KERNELFLAGS)' OBJECTS='$(gates) $(cpu_kernels) $(simt)' LIBS='$(BOOST)' \
	LD='$(CXX) -shared $(MODEFLAGS) -Wl,--version-script=cuda/exports.map'

## mutants: every fault of cuda/mutants put into the kernels, and which cases see it; ends with killed K of N
mutants: $(BIN)/attest $(BIN)/subjects/cpu.so
	@$(TOOLS) ci/mutants.py $(MUTANTS)
.PHONY: mutants

# picks cuda/mutants/machine.txt anew: MUTATE is universalmutator's program, in a virtual environment
machine-mutants:
	@$(TOOLS) ci/pick-mutants.py $(MUTATE)
.PHONY: machine-mutants

# what `attest new` writes, as lines of C
$(B)/harness/templates/%.inc: harness/templates/% Makefile
	@mkdir -p $(@D)
	sed 's/\\/&&/g; s/"/\\"/g; s/.*/"&",/' $< > $@
$(B)/harness/command_new.o: $(patsubst %,$(B)/%.inc,$(wildcard harness/templates/*))
$(B)/harness/command_new.o: CFLAGS += -I$(B)/harness

# subjects outside of this tree say #include <attest/subject.h>
all: $(BIN)/include/attest/subject.h
$(BIN)/include/attest/subject.h: harness/subject.h
	@mkdir -p $(@D)
	cp $< $@

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/.*AT_VERSION "\(.*\)"/\1/p' harness/version.h)
installed = $(DESTDIR)$(PREFIX)

## install: program, subjects, cases, header, pkg-config file, manual page and completion under PREFIX (/usr/local), in DESTDIR
# The program finds cases and subjects beside itself, so it lives with them and bin/ has a link. Nothing is built here: as another user git
# would not say the revision.
install:
	@test -x $(BIN)/attest || { echo "nothing to install: make all comes first" >&2; exit 1; }
	install -d $(installed)/bin $(installed)/lib/attest/subjects $(installed)/lib/attest/cases $(installed)/lib/pkgconfig \
		$(installed)/include/attest $(installed)/share/man/man1 $(installed)/share/bash-completion/completions \
		$(installed)/share/zsh/site-functions $(installed)/share/doc/attest
	install -m 755 $(BIN)/attest $(installed)/lib/attest/attest
	ln -sf ../lib/attest/attest $(installed)/bin/attest
	install -m 755 $(BIN)/subjects/*.so $(installed)/lib/attest/subjects
	install -m 644 cases/*.yaml $(installed)/lib/attest/cases
	install -m 644 harness/subject.h $(installed)/include/attest/subject.h
	sed 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' harness/attest.pc.in > $(installed)/lib/pkgconfig/attest.pc
	$(BIN)/attest help --man > $(installed)/share/man/man1/attest.1
	$(BIN)/attest help --completion bash > $(installed)/share/bash-completion/completions/attest
	$(BIN)/attest help --completion zsh > $(installed)/share/zsh/site-functions/_attest
	install -m 644 LICENSE README.md CONTRIBUTING.md $(installed)/share/doc/attest
.PHONY: install

# the supervisor's tests judge the host's subject, through one that fails now and then
$(B)/tests/harness: $(BIN)/subjects/cpu.so

# ---- long tests ----
# fuzzers of what anybody may have written, over the same objects built by clang
fuzzers := cases journal wire
FUZZFLAGS := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -DAT_FUZZER
MINUTES ?= 1

## fuzz: libFuzzer, MINUTES=1 each, on case files, journals and workers' messages; seeds in harness/fuzz/corpus
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang MODEFLAGS='$(FUZZFLAGS)' $(fuzzers:%=build/fuzz/run/%)
	@for target in $(fuzzers); do \
	    mkdir -p build/fuzz/found/$$target; \
	    echo "== $$target, $(MINUTES) min"; \
	    build/fuzz/run/$$target -max_total_time=$$(($(MINUTES) * 60)) -timeout=20 -report_slow_units=1 -rss_limit_mb=2048 \
	        -max_len=20000 -print_final_stats=1 -artifact_prefix=build/fuzz/$$target- \
	        build/fuzz/found/$$target harness/fuzz/corpus/$$target >build/fuzz/$$target.log 2>&1 \
	        || { tail -n 40 build/fuzz/$$target.log; exit 1; }; \
	    grep 'stat::number_of_executed_units' build/fuzz/$$target.log; \
	done
$(fuzzers:%=build/fuzz/run/%): build/fuzz/run/%: $(B)/harness/fuzz/%.o $(B)/harness/fuzz/file.o $(B)/libattest.a
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(MODEFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

## test-all: what takes long: kills and resumes, a Slurm array, fuzzers, the page in a browser, sanitizers of threads, the calibration's nights
test-all: deps
	@ci/test-all.sh
.PHONY: fuzz test-all

# the page of reports/ is taken in by the assembler, which names no prerequisites
$(B)/reports/write_html_files.o: $(wildcard reports/page/* reports/page/vendor/*)

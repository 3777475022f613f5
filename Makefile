# The front door. CMakeLists.txt describes the build; this file only names the usual ways in.
BUILD   ?= build
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX  ?= /usr/local
FUZZ_SECONDS ?= 20
SEEDS   ?= 1000
STEPS   ?= 10000
MAKEFLAGS += --no-print-directory

.PHONY: all deps man site docs-html check test check-long soak simulate demo bench fuzz coverage format wasm js install dist sbom deb clean
all: ; @scripts/deps build && cmake -S . -B $(BUILD) -DLOTOR_TESTS=OFF >/dev/null && scripts/build $(BUILD) -j$(JOBS)
deps: ; @scripts/deps build check lint fuzz
check: ; @scripts/check
test: ; @scripts/deps build check && cmake --preset check >/dev/null && scripts/build build-check -j$(JOBS) --target $(T) && \
	LOTOR_TEST_PATIENCE=$$(scripts/patience) ctest --test-dir build-check --output-on-failure -R '^$(T)$$'
check-long: ; @scripts/check-long
soak: ; @scripts/soak $(PART)
simulate: ; @scripts/simulate --seeds $(SEEDS) --steps $(STEPS)
demo: all ; @$(BUILD)/lotor demo $(if $(KEEP),--keep-serving)
man: ; @scripts/deps build && cmake -S . -B $(BUILD) -DLOTOR_TESTS=OFF >/dev/null && scripts/build $(BUILD) --target man
site: all ; @scripts/deps docs && $(BUILD)/lotor reproduce all --resume --out $(BUILD)/report >/dev/null && \
	scripts/site --report $(BUILD)/report $(BUILD)/site && echo "open $(BUILD)/site/index.html"
docs-html: site
bench: all ; @scripts/bench
fuzz: ; @FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz
coverage: ; @scripts/coverage
format: ; @scripts/deps lint && scripts/sources | xargs clang-format -i
wasm: ; @scripts/deps build wasm && cmake -S . -B $(BUILD) -DLOTOR_TESTS=OFF >/dev/null && scripts/build $(BUILD) -j$(JOBS) --target wasm all
js: wasm ; @scripts/deps js && cd $(BUILD) && npm pack --silent ./clients/js
install: all ; @DESTDIR="$(DESTDIR)" scripts/install "$(BUILD)" "$(PREFIX)"
dist: ; @scripts/dist
sbom: all ; @scripts/sbom $(BUILD)
deb: ; @scripts/deb
clean: ; @rm -rf build build-*

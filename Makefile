# Everything a fresh machine needs is set up here: git, make and Node with npm are enough.
DENO_VERSION := 2.9.6
DENO = $(eval DENO := $$(shell tools/deno $(DENO_VERSION)))$(or $(DENO),$(error Deno is not set up))
# A folder's name is taken as it is: make and the shell would read a $ or a ` in it.
ifeq ($(origin INSTALL_DIR),undefined)
INSTALL_DIR := $(value HOME)/.local/bin
endif
SCRIPTS ?= tests/scripts tests/program


# What a confined Worker may not do fails; Deno does not ask the terminal to allow it.
export DENO_NO_PROMPT = 1
# Deno would ask its maker for a newer one, through whatever proxy a test gives it.
export DENO_NO_UPDATE_CHECK = 1

.PHONY: help build-packages setup programs chromium demo test ok test-scripts gen bench bench-code-intel bench-code-intel-learn called replay pictures breaks webhooks-kill soak hostile race chaos chaos-fleet portable compile install update-tool clean

help: ## show this help
	@sed -n 's/^\([a-z%-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

# What builds takes the packages that are there, be they all or those of the product.
AS_THERE = --node-modules-dir=manual --no-lock

# Deno asks for the registry's address once a package, all at once; some name servers drop most of it, and
# five seconds pass before the C library asks again (resolv.conf(5)).
build-packages setup: export RES_OPTIONS ?= timeout:1 attempts:10

build-packages:
	@$(DENO) run -A --no-config tools/build_packages.ts

setup: ## install the pinned Deno and the locked dependencies
	@$(DENO) install --frozen --quiet
	@$(DENO) bundle --quiet src/core/version.ts >/dev/null

demo: portable ## watch a team at work on a small repo in a temporary folder
	@SVC_BIN=dist/svc $(DENO) run -A --no-check $(AS_THERE) demo/run.ts

test: ## prove everything: style, types, tests, the built program
	@$(DENO) run -A --no-config tools/test.ts

programs: # install the browser, shells and clients that the tests drive
	@tools/programs.sh

chromium: # install the browser alone
	@tools/programs.sh chromium

ok: setup ## run the gate before a commit
	@$(DENO) task ok

test-scripts: setup ## run whole-program scripts, against SVC_BIN if set
	@$(DENO) test -A --quiet $(SCRIPTS) $(if $(SVC_BIN),tests/portable)

gen: setup ## write the generated files
	@$(DENO) task gen

bench: bench-startup bench-run ## measure start-up, and a whole run beside the least loop

bench-%: setup ## run bench/%.ts, such as bench-jobs; ls bench names them
	@$(BENCH_ENV) $(DENO) run -A --no-check $(BENCH_FLAGS) bench/$*.ts

bench-code-intel: setup ## what --code-intel finds in replayed histories
	@$(DENO) run -A --no-check bench/code_intel.ts $(HISTORIES)

# Learns the weights of the hint on histories that it is not judged on.
bench-code-intel-learn: setup
	@$(DENO) run -A --no-check bench/code_intel.ts learn $(HISTORIES)

called: setup # learn which functions starts call, so that the build has them compiled ahead
	@$(DENO) run -A --no-check tools/called_at_start.ts

replay: portable ## play real fixes on real projects of npm and Debian
	@SVC_BIN=dist/svc $(DENO) run -A --no-check bench/replay.ts $(CASES)

bench-peers: portable bench-service

bench-startup bench-run bench-service bench-first_request bench-footprint: portable
bench-service bench-first_request bench-footprint: BENCH_ENV = SVC_BIN=dist/svc
bench-dashboard: chromium
# It installs other scanners, to compare with them.
bench-secrets: BENCH_FLAGS = --no-lock --node-modules-dir=none

pictures: portable chromium ## take the pictures of the docs
	@$(DENO) run -A --no-check tools/pictures.ts
	@$(DENO) run -A --no-check tools/setup_picture.ts

webhooks-kill: setup ## kill the receiver 200 times right after it accepted
	@SVC_WEBHOOK_KILLS=200 $(DENO) test -A tests/unit/http/kill_test.ts

chaos: setup ## kill engines at every step, cut their server; two hours
	@SVC_COLLECT_KILLS=200 $(DENO) test -A tests/fault/collect_kill_test.ts
	@$(DENO) run -A tests/fault/chaos/all.ts slow all 1000
	@$(DENO) run -A tests/fault/chaos/all.ts quick 200 200 1 postgres

# Kills nodes of a team and connections of their server, KILLS times, and lets one stand still STALLS times; takes an hour.
chaos-fleet: setup
	@$(DENO) run -A --no-check tests/fault/fleet/all.ts $(or $(KILLS),1000) 1 $(or $(STALLS),10)

soak: portable ## 2 GiB killed midway; webhooks for MINUTES=8: memory is flat
	@$(DENO) run -A --no-check tests/fault/large_download.ts
	@SVC_BIN=dist/svc $(DENO) run -A --no-check tests/fault/soak.ts $(or $(MINUTES),8)

race: setup ## run file tools for 60 s while folders and links swap
	@RACE_MS=60000 $(DENO) test -A tests/unit/platform/files/folder_race_test.ts --filter exchange

hostile: setup ## make every attack of tests/fault/attacks, at length
	@HOSTILE_CALLS=500 HOSTILE_ALL=1 $(DENO) test -A tests/fault/attacks \
	  $$(sed -n 's/^ *"\(.*_test\.ts\)": \[.*/tests\/\1/p' tests/fault/attacks/table.ts | grep -v /browser/ | sort -u)

breaks: setup ## break a copy in each way of tests/breaks; ONLY="text"
	@$(DENO) run -A --no-check tools/breaks.ts $(ONLY)

portable: build-packages ## build dist/svc as one file; ARCH=linux-arm64 for it
	@ARCH=$(ARCH) $(DENO) run -A $(AS_THERE) tools/portable.ts

compile: build-packages ## build dist/svc as one executable by `deno compile`
	@$(DENO) run -A $(AS_THERE) tools/compile.ts

install: build-packages ## build, and install into INSTALL_DIR (~/.local/bin)
	@$(DENO) run -A $(AS_THERE) tools/install.ts '$(subst ','\'',$(value INSTALL_DIR))'

update-tool: install ## replace an installed svc; the old one is svc.previous

clean: ## remove what was built
	rm -rf dist

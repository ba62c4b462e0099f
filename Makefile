# Everything a fresh machine needs is set up here: git, make and Node with npm are enough.
DENO_VERSION := 2.9.6
DENO = $(eval DENO := $$(shell tools/deno $(DENO_VERSION)))$(or $(DENO),$(error Deno is not set up))
INSTALL_DIR ?= $(HOME)/.local/bin
SCRIPTS ?= tests/scripts tests/program


# What a confined Worker may not do fails; Deno does not ask the terminal to allow it.
export DENO_NO_PROMPT = 1

.PHONY: help setup programs chromium demo test ok test-scripts gen bench bench-secrets bench-scan bench-tickets bench-jobs bench-tools bench-run bench-engine bench-service bench-webhooks bench-http bench-dashboard pictures webhooks-kill soak bench-footprint hostile race chaos portable compile install update-tool clean

help: ## show this help
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## install the pinned Deno, the locked dependencies and its bundler
	@$(DENO) install --frozen --quiet
	@$(DENO) bundle --quiet src/core/version.ts >/dev/null

demo: portable ## a team at work on a small repo, in a temporary folder; see demo/run.ts
	@SVC_BIN=dist/svc $(DENO) run -A --no-check demo/run.ts

test: setup programs chromium ## prove everything: format, lint, types, generated files, tests, the built program
	@$(DENO) run -A tools/test.ts

programs: ## install the shells and clients that the tests drive, where that can be done
	@tools/programs.sh

chromium: ## install the browser that the tests drive, where that can be done
	@tools/chromium.sh

ok: setup ## the gate before a commit
	@$(DENO) task ok

test-scripts: setup ## whole-program scripts, against SVC_BIN when it is set
	@$(DENO) test -A --quiet $(SCRIPTS) $(if $(SVC_BIN),tests/portable)

gen: setup ## write the generated files
	@$(DENO) task gen

bench: portable ## print start-up ratios, and what a whole run costs beside the least loop
	@$(DENO) run -A bench/startup.ts
	@$(DENO) run -A bench/run.ts

bench-secrets: setup ## recall, precision and speed of the secret scan, beside secretlint
	@$(DENO) run -A --no-lock --node-modules-dir=none bench/secret_scan.ts

bench-scan: setup ## first and second scan of 10,000 files, beside git status
	@$(DENO) run -A bench/scan.ts

bench-tickets: setup ## listing 10,000 tickets
	@$(DENO) run -A bench/tickets.ts

bench-jobs: setup ## the job queue beside bare SQLite
	@$(DENO) run -A bench/jobs.ts

bench-tools: setup ## file tools in 50,000 files, beside git and ripgrep
	@$(DENO) run -A bench/tools.ts

bench-webhooks: setup ## how soon webhooks are answered at 50 a second
	@$(DENO) run -A bench/webhooks.ts

bench-dashboard: setup chromium ## the dashboard in Chromium: paint, events, bytes, memory
	@$(DENO) run -A bench/dashboard.ts

pictures: portable chromium ## take the pictures of docs/dashboard.md
	@$(DENO) run -A --no-check tools/pictures.ts

bench-http: setup ## the dashboard's listener beside a bare server
	@$(DENO) run -A bench/http.ts

webhooks-kill: setup ## 200 times kill -9 right after a webhook was accepted
	@SVC_WEBHOOK_KILLS=200 $(DENO) test -A tests/unit/http/kill_test.ts

bench-run: portable ## a whole svc run beside the least loop there can be
	@$(DENO) run -A bench/run.ts

bench-service: portable ## how soon a service answers, beside a bare server
	@SVC_BIN=dist/svc $(DENO) run -A --no-check bench/service.ts

bench-engine: setup ## how soon a job begins, and what svc costs per job
	@$(DENO) run -A bench/engine.ts

chaos: setup ## kill an engine at every step and at 1,000 random moments; takes about an hour
	@$(DENO) run -A tests/fault/chaos/all.ts slow all 1000

soak: portable ## eight minutes (MINUTES=60 for longer) of webhooks and jobs: memory, files and log stay flat
	@SVC_BIN=dist/svc $(DENO) run -A --no-check tests/fault/soak.ts $(or $(MINUTES),8)

bench-footprint: portable ## what an idle service costs, how soon a webhook or a restart reaches the model
	@SVC_BIN=dist/svc $(DENO) run -A --no-check bench/footprint.ts

race: setup ## file tools for 60 s while folders and links exchange their names
	@RACE_MS=60000 $(DENO) test -A tests/unit/platform/files/folder_race_test.ts --filter exchange

hostile: setup ## every tool with 500 bad arguments, as an observer; every command on every hostile repo
	@HOSTILE_CALLS=500 HOSTILE_ALL=1 $(DENO) test -A tests/fault/hostile_model_test.ts tests/fault/hostile_commands_test.ts

portable: setup ## dist/svc: one self-extracting file
	@$(DENO) run -A tools/portable.ts

compile: setup ## dist/svc: one executable by `deno compile`
	@$(DENO) run -A tools/compile.ts

install: setup ## build and install into INSTALL_DIR (default ~/.local/bin)
	@$(DENO) run -A tools/install.ts "$(INSTALL_DIR)"

update-tool: install ## rebuild and replace an installed svc; the old one stays as svc.previous

clean: ## remove what was built
	rm -rf dist

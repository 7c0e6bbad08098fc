# Ringi's everyday commands. `make demo` and `make test` work on a fresh Debian machine with a Swift 6 toolchain.

SWIFT ?= swift
# The Swift runtime goes into the programs, so that they start in milliseconds and need no toolchain where they run.
RELEASE = -c release --static-swift-stdlib
PREFIX ?= /usr/local

PACKAGES = g++ pkg-config python3 tzdata netcat-openbsd curl libjansson-dev libcurl4-openssl-dev libmicrohttpd-dev libsqlite3-dev libssl-dev libunistring-dev libyaml-dev

.PHONY: all deps build demo test lint check bench install clean

all: build

# Installs the Debian packages that are missing, and nothing when none is.
deps:
	@scripts/install-packages $(PACKAGES)

build: deps
	$(SWIFT) build $(RELEASE) --product ringid
	$(SWIFT) build $(RELEASE) --product ringi
	$(SWIFT) build $(RELEASE) --product ringi-sandbox

# Tells the story of one order, from plugins.d to its approval, against the bundled sandbox.
demo: build
	@scripts/demo "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

test: deps
	$(SWIFT) build --build-tests
	@scripts/test

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests

# What has to hold before a change goes in; warnings are errors in the manifest.
check: lint test
	$(SWIFT) build --explicit-target-dependency-import-check error

bench: build
	Benchmarks/run --bin "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

install: build
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include
	install -m 644 include/ringi_plugin.h $(DESTDIR)$(PREFIX)/include
	install -m 755 "$$($(SWIFT) build $(RELEASE) --show-bin-path)"/ringid "$$($(SWIFT) build $(RELEASE) --show-bin-path)"/ringi $(DESTDIR)$(PREFIX)/bin

clean:
	rm -rf .build

#pragma once
#include <stdlib.h>
#include <unicase.h>
#include <uninorm.h>
#include <uniwidth.h>

// UNINORM_NFKC is a macro that takes the address of an incomplete type, which Swift does not import.

static inline uint8_t *ringi_nfkc(const uint8_t *text, size_t count, size_t *resultCount) {
  return u8_normalize(UNINORM_NFKC, text, count, NULL, resultCount);
}

static inline uint8_t *ringi_casefold_nfkc(const uint8_t *text, size_t count, size_t *resultCount) {
  return u8_casefold(text, count, NULL, UNINORM_NFKC, NULL, resultCount);
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Lease, PagePool } from "./generator-pages.ts";

const ids = (length: number, seed = 0) => Array.from({ length }, (_, i) => i + 1000 * seed);

/** Opens a lease that must be granted, and computes it. */
function open(pool: PagePool, prompt: number[]): Lease {
  const lease = pool.open(prompt, prompt.length);
  if (typeof lease === "string") throw new Error(lease);
  pool.computed(lease, prompt.length);
  return lease;
}

describe("PagePool", () => {
  it("refuses a cache that one context does not fit", () => {
    expect(() => new PagePool(7, 16, 8)).toThrow(/holds 112 tokens, but one context may need 128/);
  });

  it("shares the full pages of a common beginning and leaves a token to compute", () => {
    const pool = new PagePool(32, 4, 8);
    const a = open(pool, ids(12));
    expect(a.found).toBe(0);
    expect(a.pages).toHaveLength(3);
    const b = open(pool, ids(12));
    expect(b.found).toBe(8);
    expect(b.pages.slice(0, 2)).toEqual(a.pages.slice(0, 2));
    expect(b.pages[2]).not.toBe(a.pages[2]);
    const c = open(pool, [...ids(5), 77, 78, 79, 80]);
    expect(c.found).toBe(4);
    expect(pool.available).toBe(32 - 3 - 1 - 2);
  });

  it("makes others wait for pages that are being computed, until their owner is done or gone", () => {
    const pool = new PagePool(32, 4, 8);
    const a = pool.open(ids(12), 12) as Lease;
    expect(pool.open(ids(12), 12)).toBe("pending");
    pool.computed(a, 7);
    expect(pool.open(ids(12), 12)).toBe("pending");
    expect(pool.open(ids(6), 6)).toMatchObject({ found: 4 });
    pool.release(a);
    expect(pool.open(ids(12), 12)).toMatchObject({ found: 4 });
  });

  it("shares only what lies in the first prompt", () => {
    const pool = new PagePool(32, 4, 8);
    const a = pool.open(ids(20), 9) as Lease;
    pool.computed(a, 20);
    expect(open(pool, ids(20)).found).toBe(8);
  });

  it("gives up pages that nobody holds, least recently used first and children before parents", () => {
    const pool = new PagePool(8, 4, 8);
    pool.release(open(pool, ids(9, 1)));
    pool.release(open(pool, ids(9, 2)));
    pool.release(open(pool, ids(9, 1)));
    expect(pool.available).toBe(8);
    const other = open(pool, ids(21, 3));
    expect(other.pages).toHaveLength(6);
    pool.release(other);
    expect(open(pool, ids(9, 1)).found).toBe(8);
  });

  it("forgets everything on clear", () => {
    const pool = new PagePool(8, 4, 8);
    const lease = open(pool, ids(9));
    expect(() => pool.clear()).toThrow(/still hold/);
    pool.release(lease);
    pool.clear();
    expect(pool.available).toBe(8);
    expect(open(pool, ids(9)).found).toBe(0);
  });

  it("admits nobody whose growth could end in a deadlock", () => {
    const pool = new PagePool(8, 4, 8);
    const a = open(pool, ids(4, 1));
    expect(pool.open(ids(4, 2), 4)).toBe("full");
    expect(pool.grow(a, 32)).toBe(true);
    pool.release(a);
    expect(pool.open(ids(4, 2), 4)).toMatchObject({ pages: [expect.any(Number)] });
  });

  it("never deadlocks and never loses or doubles a page, whatever the order of events", () => {
    const event = fc.record({ who: fc.nat(5), what: fc.constantFrom("open", "grow", "grow", "grow", "close") });
    fc.assert(fc.property(fc.array(event, { maxLength: 120 }), fc.integer({ min: 6, max: 20 }), (events, pageCount) => {
      const pool = new PagePool(pageCount, 2, 6);
      const leases: (Lease | null)[] = Array.from({ length: 6 }, () => null);
      const lengths = Array.from({ length: 6 }, () => 0);
      const check = () => {
        const own = leases.flatMap((lease) => lease?.pages.slice(lease.shared.length) ?? []);
        const shared = new Set(leases.flatMap((lease) => lease?.pages.slice(0, lease.shared.length) ?? []));
        expect(new Set([...own, ...shared]).size).toBe(own.length + shared.size);
        expect(pool.available).toBe(pageCount - own.length - shared.size);
      };
      const close = (who: number) => {
        if (leases[who]) pool.release(leases[who]);
        leases[who] = null;
      };
      for (const { who, what } of events) {
        const lease = leases[who];
        if (what === "close") close(who);
        else if (what === "open" && !lease) {
          // Sequences 0-2 and 3-5 have prompts in common.
          lengths[who] = 5 + (who % 3);
          const opened = pool.open(ids(lengths[who], who < 3 ? 1 : 2), lengths[who]);
          if (typeof opened !== "string") {
            pool.computed(opened, lengths[who]);
            leases[who] = opened;
          }
        } else if (what === "grow" && lease && lengths[who] < 12 && pool.grow(lease, lengths[who] + 1)) lengths[who]++;
        check();
      }
      // Somebody can always go on to the longest context and make room for the next.
      while (leases.some((lease) => lease)) {
        const who = leases.findIndex((lease) => lease && pool.grow(lease, 12));
        expect(who).toBeGreaterThanOrEqual(0);
        close(who);
        check();
      }
      pool.clear();
      expect(pool.available).toBe(pageCount);
    }), { numRuns: 300 });
  });
});

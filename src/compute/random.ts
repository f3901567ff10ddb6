/**
 * Named random streams. A stream's numbers depend only on its name, so work that is scheduled differently (other
 * batch, other worker, after a resume) draws the same numbers. Generator: sfc32 (Chris Doty-Humphrey's PractRand),
 * seeded through FNV-1a and 16 warm-up rounds.
 */
export type RandomState = readonly [number, number, number, number];

export class Random {
  private constructor(private a: number, private b: number, private c: number, private d: number) {}

  /** The stream named by these parts, e.g. `Random.stream(seed, "update", 3, taskId, attempt)`. */
  static stream(...name: (string | number)[]): Random {
    const key = JSON.stringify(name);
    const words = [0x811c9dc5, 0x9e3779b9, 0x243f6a88];
    for (let w = 0; w < 3; w++) {
      let h = words[w];
      for (let i = 0; i < key.length; i++) h = Math.imul(h ^ key.charCodeAt(i), 0x01000193);
      words[w] = h ^ (h >>> 15);
    }
    const random = new Random(words[0], words[1], words[2], 1);
    for (let i = 0; i < 16; i++) random.uint32();
    return random;
  }

  static restore(state: RandomState): Random {
    return new Random(...state);
  }

  state(): RandomState {
    return [this.a, this.b, this.c, this.d];
  }

  uint32(): number {
    const t = (this.a + this.b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t | 0;
    return t >>> 0;
  }

  /** Uniform in [0, 1), a multiple of 2^-24, so that it is exact in f32. */
  uniform(): number {
    return (this.uint32() >>> 8) / 0x1000000;
  }

  /** Integer in [low, high], both included. */
  int(low: number, high: number): number {
    return low + Math.floor((this.uint32() / 0x100000000) * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("Random.pick: the list is empty");
    return items[this.int(0, items.length - 1)];
  }

  /** A shuffled copy (Fisher-Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const copy = items.slice();
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  }

  /** Standard normal (Box-Muller). */
  normal(): number {
    const u = (this.uint32() + 1) / 0x100000001;
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * this.uniform());
  }
}
